#pragma once

#include <chrono>
#include <cstddef>
#include <deque>
#include <optional>

namespace postrider {

/// How a supervisor answers failures: each restart waits longer than the one
/// before, and past an intensity it gives up loudly.
class restarts {
public:
  using clock = std::chrono::steady_clock;

  struct limits {
    std::size_t most = 8; ///< failures within `within`
    std::chrono::milliseconds within{60'000};
    std::chrono::milliseconds first_wait{50};
    std::chrono::milliseconds longest_wait{5'000};
  };

  restarts() : restarts(limits{}) {}
  explicit restarts(limits by) : by_{by} {}

  /// The wait before the restart after a failure at `now`; nothing when it is
  /// one too many.
  std::optional<std::chrono::milliseconds> failed(clock::time_point now);

private:
  limits by_;
  std::deque<clock::time_point> recent_;
};

} // namespace postrider
