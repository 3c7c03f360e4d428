#pragma once

#include <cstddef>
#include <string_view>

namespace postrider::api {

/// The length of the well-formed UTF-8 sequence (RFC 3629) at the front of
/// `text`, which is not empty; 0 when there is none.
std::size_t utf8_length(std::string_view text);

/// The offset of the first byte that is not UTF-8, or `npos`.
std::size_t find_invalid_utf8(std::string_view text);

} // namespace postrider::api
