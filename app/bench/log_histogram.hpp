#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace postrider::app {

/// Counts durations in microseconds with a relative error of at most 0.1 %,
/// from 0 to 19 hours (longer ones count as that), in 220 KiB whatever their
/// number. Buckets grow with the value: 1024 to each power of two.
class log_histogram {
public:
  log_histogram();

  void add(std::int64_t micros);
  void merge(const log_histogram& other);

  std::uint64_t count() const noexcept { return count_; }
  /// The value that this share (0 to 1) of what was added does not exceed;
  /// 0 when there is none.
  std::int64_t quantile(double share) const;
  /// Exactly.
  std::int64_t max() const noexcept { return max_; }

  /// As one line of text, for another process to merge.
  std::string pack() const;
  /// Adds what another one has packed; false when the text is none.
  bool unpack(std::string_view text);

private:
  std::vector<std::uint64_t> buckets_;
  std::uint64_t count_ = 0;
  std::int64_t max_ = 0;
};

} // namespace postrider::app
