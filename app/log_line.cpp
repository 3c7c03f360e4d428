#include "app/log_line.hpp"

#include "app/api/json_writer.hpp"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <iterator>

namespace postrider::app {

namespace {

constexpr std::string_view names[] = {"debug", "info", "warn", "error"};
// A page of a pipe takes a line of this length in one piece.
constexpr std::size_t longest_text = 2'000;

std::string timestamp(std::chrono::system_clock::time_point at) {
  using namespace std::chrono;
  const auto now = floor<milliseconds>(at);
  const auto rest = now.time_since_epoch() % seconds{1};
  return fmt::format("{:%Y-%m-%dT%H:%M:%S}.{:03}Z",
                     fmt::gmtime(system_clock::to_time_t(now)), rest.count());
}

} // namespace

actors::level parse_level(std::string_view text) {
  for (std::size_t i = 0; i < std::size(names); ++i)
    if (names[i] == text)
      return static_cast<actors::level>(i);
  return actors::level::info;
}

std::string_view to_string(actors::level how) {
  return names[static_cast<std::size_t>(how)];
}

std::string log_line(std::chrono::system_clock::time_point at,
                     actors::level how, std::string_view node,
                     std::string_view component, std::string_view text,
                     const actors::log_fields& about) {
  api::json_writer out;
  out.begin_object();
  out.key("ts").string(timestamp(at));
  out.key("level").string(to_string(how));
  out.key("msg").string(text.substr(0, longest_text));
  out.key("node").string(node);
  out.key("component").string(component);
  out.text_if("event", about.event);
  out.text_if("delivery", about.delivery);
  out.text_if("endpoint", about.endpoint);
  if (about.attempt >= 0)
    out.key("attempt").number(about.attempt);
  out.text_if("error", about.error);
  if (about.duration.count() >= 0)
    out.key("duration_ms").number(about.duration.count());
  out.end_object();
  return out.take() + '\n';
}

} // namespace postrider::app
