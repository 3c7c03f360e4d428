#pragma once

#include "core/header.hpp"

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace postrider::store {

/// Headers as `jsonb` columns hold them: `[{"name": "X-A", "value": "1"}, …]`.
std::string format_headers(std::span<const header> headers);

/// Reads them. What is no header that may be sent is left out.
std::vector<header> parse_headers(std::string_view json);

/// Reads them to be sent: nothing when one of them may not be. Such a row was
/// not written by us, and what it says must not be sent in part. (HDR-01)
std::optional<std::vector<header>> parse_whole_headers(std::string_view json);

} // namespace postrider::store
