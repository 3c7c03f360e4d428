#pragma once

#include <array>
#include <chrono>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace postrider {

/// 128 bits as they stand in PostgreSQL's `uuid`, first byte first.
struct uuid {
  std::array<std::uint8_t, 16> bytes{};

  friend auto operator<=>(const uuid&, const uuid&) = default;
};

/// Makes a UUIDv7 (RFC 9562): 48 bits of Unix milliseconds, then `random`.
/// Sorting by value is sorting by time, to the millisecond.
uuid make_uuid_v7(std::chrono::sys_time<std::chrono::milliseconds> now,
                  std::span<const std::uint8_t, 10> random);

/// The moment that a UUIDv7 carries.
std::chrono::sys_time<std::chrono::milliseconds> time_of(const uuid& id);

/// `018f…-…` in lower case.
std::string to_string(const uuid& id);

/// Reads 8-4-4-4-12 hexadecimal digits in either case; nothing else.
std::optional<uuid> parse_uuid(std::string_view text);

} // namespace postrider

template <>
struct std::hash<postrider::uuid> {
  std::size_t operator()(const postrider::uuid& id) const noexcept {
    std::uint64_t low = 0;
    for (std::size_t i = 8; i < 16; ++i)
      low = low << 8 | id.bytes[i];
    return static_cast<std::size_t>(low); // random by construction
  }
};
