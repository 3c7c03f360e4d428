#pragma once

#include <array>
#include <chrono>
#include <cstdint>

namespace postrider::app {

/// Counts latencies in buckets 5 % wide, from 10 µs to minutes, in a few
/// kilobytes whatever their number.
class latency {
public:
  void add(std::chrono::microseconds one);
  /// The value that this share of the latencies does not exceed, to 5 %; zero
  /// when there is none.
  std::chrono::microseconds quantile(double share) const;

private:
  std::array<std::uint64_t, 400> buckets_{};
  std::uint64_t count_ = 0;
};

} // namespace postrider::app
