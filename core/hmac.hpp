#pragma once

#include <array>
#include <string_view>

namespace postrider {

/// HMAC-SHA256 over `head` followed by `body`, as 32 raw bytes. Keeps the
/// keyed contexts of the secrets that this thread used last, a bounded number.
/// Thread-safe. Throws std::runtime_error when OpenSSL fails.
std::array<char, 32> hmac_sha256(std::string_view key, std::string_view head,
                                 std::string_view body);

} // namespace postrider
