#include "app/client/failure.hpp"
#include "app/client/output.hpp"
#include "app/commands/send_options.hpp"
#include "app/json_text.hpp"
#include "app/stop_signals.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace postrider::app {

namespace {

using namespace std::chrono_literals;

struct standing {
  std::vector<std::string> ids;
  std::size_t open = 0;
  std::size_t succeeded = 0;
};

standing look(api_session& api, const std::string& event) {
  standing out;
  query_text query;
  query.add("event", event);
  api.each("/v1/deliveries" + query.text(), 0, [&](std::string_view row) {
    const auto state = json_member(row, "state");
    out.ids.push_back(json_member(row, "id"));
    out.open += state == "queued" || state == "retrying" || state == "held";
    out.succeeded += state == "succeeded";
  });
  return out;
}

void print_attempts(api_session& api, const send_options& options,
                    const standing& of) {
  list_output out{options,
                  {{"STARTED", "started_at"},
                   {"OUTCOME", "outcome"},
                   {"RESULT", "status_code|error"},
                   {"MS", "duration_ms"},
                   {"N", "number"},
                   {"ENDPOINT", "endpoint"},
                   {"DELIVERY", "delivery"}}};
  for (const auto& id : of.ids)
    api.each(fmt::format("/v1/deliveries/{}/attempts", id), 0,
             [&](std::string_view row) { out.add(row); });
  out.finish(false);
}

} // namespace

int wait_for_deliveries(api_session& api, const send_options& options,
                        const std::string& event) {
  const auto deadline = std::chrono::steady_clock::now() + options.wait_limit;
  stop_signals signals;
  auto pause = 20ms;
  auto now = look(api, event);
  while (now.open > 0 && std::chrono::steady_clock::now() < deadline) {
    if (signals.wait_for(pause))
      return exit_interrupted;
    pause = std::min(pause * 2, 1'000ms);
    now = look(api, event);
  }
  print_attempts(api, options, now);
  if (now.open > 0)
    throw failure{exit_timed_out,
                  fmt::format("{} of {} are still open\n"
                              "try: postrider deliveries list --event {}",
                              now.open, now.ids.size(), event)};
  if (now.succeeded == now.ids.size())
    return exit_done;
  return now.succeeded > 0 ? exit_partly : exit_failed;
}

} // namespace postrider::app
