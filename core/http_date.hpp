#pragma once

#include <chrono>
#include <optional>
#include <string_view>

namespace postrider {

/// Reads an HTTP date in any of its three forms (RFC 9110, 5.6.7). `now`
/// settles the century of a two-digit year. The weekday must be one, but need
/// not fit the date. Nothing if malformed.
std::optional<std::chrono::sys_seconds>
parse_http_date(std::string_view text, std::chrono::sys_seconds now);

} // namespace postrider
