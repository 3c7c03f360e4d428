#pragma once

#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace postrider {

/// A count that only rises. Adding is one relaxed atomic operation; whoever
/// records much keeps it on a cache line that no other thread writes.
class count {
public:
  void add(std::uint64_t many = 1) noexcept {
    value_.fetch_add(many, std::memory_order_relaxed);
  }
  std::uint64_t value() const noexcept {
    return value_.load(std::memory_order_relaxed);
  }

private:
  std::atomic<std::uint64_t> value_{0};
};

/// What one or more histograms with the same bounds have counted.
struct distribution {
  std::vector<std::uint64_t> buckets; ///< one more than there are bounds
  std::uint64_t sum = 0;
};

/// A histogram whose bounds, whole numbers that rise, are known when it is
/// compiled. A value belongs to the first bound that is not below it. Recording
/// is two relaxed atomic operations; times are recorded in nanoseconds.
template <const auto& limits>
class histogram {
public:
  static constexpr std::span<const std::uint64_t> bounds() { return limits; }

  void observe(std::uint64_t value) noexcept {
    std::size_t place = 0;
    while (place < limits.size() && value > limits[place])
      ++place;
    buckets_[place].fetch_add(1, std::memory_order_relaxed);
    sum_.fetch_add(value, std::memory_order_relaxed);
  }

  /// A time before zero, which clocks of two machines can yield, counts as 0.
  void observe(std::chrono::nanoseconds time) noexcept {
    observe(static_cast<std::uint64_t>(time.count() < 0 ? 0 : time.count()));
  }

  void add_to(distribution& all) const {
    all.buckets.resize(buckets_.size());
    for (std::size_t i = 0; i < buckets_.size(); ++i)
      all.buckets[i] += buckets_[i].load(std::memory_order_relaxed);
    all.sum += sum_.load(std::memory_order_relaxed);
  }

private:
  std::array<std::atomic<std::uint64_t>, limits.size() + 1> buckets_{};
  std::atomic<std::uint64_t> sum_{0};
};

namespace bounds {

template <std::size_t N>
consteval std::array<std::uint64_t, N>
microseconds(const std::uint64_t (&given)[N]) {
  std::array<std::uint64_t, N> out{};
  for (std::size_t i = 0; i < N; ++i)
    out[i] = given[i] * 1'000;
  return out;
}

/// Work inside the engine: 0.5 ms to 2.5 s.
inline constexpr auto quick =
    microseconds({500, 1'000, 2'500, 5'000, 10'000, 25'000, 50'000, 100'000,
                  250'000, 500'000, 1'000'000, 2'500'000});
/// Requests to receivers: 5 ms to 60 s, the time-outs among them.
inline constexpr auto request = microseconds(
    {5'000, 10'000, 25'000, 50'000, 100'000, 250'000, 500'000, 1'000'000,
     2'500'000, 5'000'000, 10'000'000, 15'000'000, 30'000'000, 60'000'000});
/// From acceptance to the end: 5 ms to a day.
inline constexpr auto lifetime = microseconds(
    {5'000, 10'000, 25'000, 50'000, 100'000, 250'000, 500'000, 1'000'000,
     2'500'000, 5'000'000, 15'000'000, 60'000'000, 300'000'000, 1'800'000'000,
     7'200'000'000, 28'800'000'000, 86'400'000'000});
inline constexpr std::array<std::uint64_t, 10> number{1,  2,   5,   10,  25,
                                                      50, 100, 250, 500, 1'000};
inline constexpr std::array<std::uint64_t, 7> size{
    256, 1'024, 4'096, 16'384, 65'536, 262'144, 1'048'576};

} // namespace bounds

using quick_times = histogram<bounds::quick>;
using request_times = histogram<bounds::request>;
using lifetimes = histogram<bounds::lifetime>;
using numbers = histogram<bounds::number>;
using sizes = histogram<bounds::size>;

} // namespace postrider
