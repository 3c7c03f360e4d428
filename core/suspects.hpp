#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <unordered_map>

namespace postrider {

/// Deliveries that were being handled when their actor failed. One that this
/// has happened to three times is to be failed, so that the rest goes on.
/// Remembers the last thousand.
class suspects {
public:
  static constexpr int convicted_at = 3;
  static constexpr std::size_t most = 1'000;

  void blame(std::int64_t delivery);
  bool convicted(std::int64_t delivery) const;
  /// It has come to an end.
  void forget(std::int64_t delivery);
  bool empty() const noexcept { return failures_.empty(); }

private:
  std::unordered_map<std::int64_t, int> failures_;
  std::deque<std::int64_t> order_; ///< as they were blamed first
};

} // namespace postrider
