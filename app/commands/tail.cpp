#include "app/api/rfc3339.hpp"
#include "app/client/recent_attempts.hpp"
#include "app/commands/client_command.hpp"
#include "app/json_text.hpp"
#include "app/stop_signals.hpp"

#include <cstdio>

namespace postrider::app {

namespace {

struct tail_options : client_options {
  std::string endpoint;
  std::string outcome;
  std::string status;
  std::size_t last = 10;
  std::size_t count = 0;
  std::chrono::milliseconds interval{1'000};
};

/// `503`, `5xx`, or the name of an error.
bool wanted(const tail_options& options, std::string_view row) {
  if (options.status.empty())
    return true;
  const auto status = json_member(row, "status_code");
  if (options.status.ends_with("xx") && options.status.size() == 3)
    return status.starts_with(options.status.front());
  return options.status == status
         || options.status == json_member(row, "error");
}

bool show(const tail_options& options, std::string_view row) {
  if (options.json) {
    fmt::print("{}\n", row);
  } else {
    const auto cell = [&](std::string_view member) {
      return shown_member(row, member);
    };
    const auto outcome = cell("outcome");
    const auto* form = options.plain ? "{}\t{}\t{}\t{}\t{}\t{}\t{}\n"
                                     : "{}  {} {:<18} {:>6} ms  #{}  {}  {}\n";
    const auto padding =
        options.plain
            ? ""
            : std::string(10 - std::min<std::size_t>(10, outcome.size()), ' ');
    fmt::print(fmt::runtime(form), cell("ended_at"),
               tinted(outcome, coloured(options)) + padding,
               cell("status_code|error"), cell("duration_ms"), cell("number"),
               cell("endpoint"), cell("delivery"));
  }
  return std::fflush(stdout) == 0;
}

int follow(const tail_options& options) {
  stop_signals signals; // before the client's thread
  api_session api{options};
  query_text query;
  query.add("endpoint", options.endpoint).add("outcome", options.outcome);
  recent_attempts recent{api, query.text(), options.last};
  std::size_t shown = 0;
  do {
    const auto found = recent.next();
    if (found.cut && !options.quiet)
      fmt::print(stderr, "too many to show: some were left out\n");
    for (const auto& row : found.rows) {
      if (!wanted(options, row))
        continue;
      if (!show(options, row) || ++shown == options.count)
        return exit_done;
    }
  } while (!signals.wait_for(options.interval));
  return exit_done;
}

} // namespace

void add_tail(CLI::App& root, action& chosen) {
  auto [verb, given] = add_client_command<tail_options>(
      root, chosen, "tail", "Show attempts as they end, until Ctrl-C",
      "  postrider tail --outcome failed\n"
      "  postrider tail --endpoint ep_… --status 5xx\n"
      "  postrider tail --last 0 --json | jq .status_code",
      follow);
  verb->add_option("--endpoint", given->endpoint, "Only to this one")
      ->type_name("ID");
  verb->add_option("--outcome", given->outcome, "Only with this one")
      ->check(one_of({"succeeded", "failed", "cancelled"}))
      ->type_name("OUTCOME");
  verb->add_option("--status", given->status,
                   "Only 503, 5xx, or an error such as connect_refused")
      ->type_name("STATUS");
  verb->add_option("--last", given->last, "Begin with so many earlier ones")
      ->check(CLI::Range(std::size_t{0}, std::size_t{250}))
      ->type_name("N")
      ->capture_default_str();
  verb->add_option("--count", given->count, "End after so many")
      ->type_name("N");
  add_duration_option(*verb, "--interval", given->interval,
                      "Between two looks (1s)");
}

} // namespace postrider::app
