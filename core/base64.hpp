#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace postrider {

/// Standard alphabet, padded.
std::string encode_base64(std::string_view bytes);

/// Standard alphabet; padding may be absent but not wrong, unused bits must be
/// zero, nothing else may stand in the text.
std::optional<std::string> decode_base64(std::string_view text);

/// Lower-case hexadecimal.
std::string encode_hex(std::string_view bytes);

} // namespace postrider
