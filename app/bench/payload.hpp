#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace postrider::app {

/// What the load maker writes into each payload and the receiver reads back.
struct payload_mark {
  std::uint64_t number = 0; ///< of the event, from 0, below 10^12
  /// When it was meant to be sent: microseconds of the monotonic clock, which
  /// all processes of a machine share.
  std::int64_t intended = 0;
};

/// Makes JSON documents of one size that look like an order.
class payload_maker {
public:
  static constexpr std::size_t smallest = 64;

  /// `size` in bytes, at least `smallest`.
  explicit payload_maker(std::size_t size);
  std::string make(const payload_mark& mark) const;

  /// For those who put the mark in themselves, in so many digits.
  struct parts {
    std::string before_number;
    std::string before_moment;
    std::string rest;
    std::size_t number_digits = 0;
    std::size_t moment_digits = 0;
  };
  parts taken_apart() const;

private:
  std::string sample_;
};

/// Nothing when the body was not made by a `payload_maker`.
std::optional<payload_mark> read_payload(std::string_view body);

/// Microseconds of the monotonic clock.
std::int64_t monotonic_now();

} // namespace postrider::app
