#pragma once

#include <cstdint>
#include <deque>
#include <vector>

namespace postrider::app {

/// How many came in each second since a moment, and the most that came within
/// any second, wherever that began. Moments are µs of one clock and never go
/// back.
class arrival_pace {
public:
  explicit arrival_pace(std::int64_t start = 0) : start_{start} {}

  void arrived(std::int64_t moment);

  /// The first second, the second one, …; empty when nothing came, and the
  /// first hour only.
  const std::vector<std::uint64_t>& seconds() const noexcept {
    return seconds_;
  }
  std::uint64_t peak() const noexcept { return peak_; }

private:
  std::int64_t start_;
  std::vector<std::uint64_t> seconds_;
  std::deque<std::int64_t> recent_; ///< within the last second
  std::uint64_t peak_ = 0;
};

} // namespace postrider::app
