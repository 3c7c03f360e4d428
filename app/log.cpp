#include "app/log.hpp"

#include "app/json_text.hpp"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <chrono>
#include <cstdio>

namespace postrider::app {

namespace {

using actors::level;

constexpr std::string_view names[] = {"debug", "info", "warn", "error"};

level parse_level(const std::string& text) {
  for (std::size_t i = 0; i < std::size(names); ++i)
    if (names[i] == text)
      return static_cast<level>(i);
  return level::info;
}

std::string timestamp() {
  using namespace std::chrono;
  const auto now = floor<milliseconds>(system_clock::now());
  const auto rest = now.time_since_epoch() % seconds{1};
  return fmt::format("{:%Y-%m-%dT%H:%M:%S}.{:03}Z",
                     fmt::gmtime(system_clock::to_time_t(now)), rest.count());
}

} // namespace

actors::log_sink make_log(const std::string& lowest, std::string node) {
  return [least = parse_level(lowest),
          node = json_quote(node)](level how, std::string_view component,
                                   const std::string& message) {
    if (how < least)
      return;
    const auto line = fmt::format(
        "{{\"ts\":\"{}\",\"level\":\"{}\",\"node\":{},\"component\":{},"
        "\"msg\":{}}}\n",
        timestamp(), names[static_cast<std::size_t>(how)], node,
        json_quote(component), json_quote(message));
    // One write for a line, so that lines of several threads don't mix.
    std::fwrite(line.data(), 1, line.size(), stderr);
  };
}

} // namespace postrider::app
