#pragma once

#include <cstddef>
#include <string_view>

namespace postrider::api {

/// Where a text that simdjson has refused stops being JSON, to the token; for
/// error texts alone. Linear time.
std::size_t find_json_fault(std::string_view text);

} // namespace postrider::api
