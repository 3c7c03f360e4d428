#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

namespace postrider::api {

using time_ms = std::chrono::sys_time<std::chrono::milliseconds>;

/// `2026-11-29T20:11:04.120Z`: always UTC, always milliseconds.
std::string to_rfc3339(time_ms time);

/// Reads RFC 3339 with any offset; fractions below a millisecond are cut off.
/// Nothing if malformed or not in the calendar, before 1970 or past 9999.
std::optional<time_ms> parse_rfc3339(std::string_view text);

} // namespace postrider::api
