#include "app/client/time_argument.hpp"

#include "app/api/rfc3339.hpp"
#include "app/client/failure.hpp"
#include "core/retry.hpp"

#include <fmt/format.h>

#include <chrono>

namespace postrider::app {

std::string time_argument(const std::string& option, const std::string& text) {
  if (text.empty())
    return {};
  if (const auto time = api::parse_rfc3339(text))
    return api::to_rfc3339(*time);
  const auto ago = parse_duration(text);
  if (!ago)
    throw failure{exit_usage,
                  fmt::format("{}: \"{}\" is no time: write how long ago (15m, "
                              "24h) or 2026-11-29T20:11:04Z",
                              option, text)};
  return api::to_rfc3339(
      std::chrono::time_point_cast<std::chrono::milliseconds>(
          std::chrono::system_clock::now() - *ago));
}

} // namespace postrider::app
