#pragma once

#include <algorithm>
#include <chrono>
#include <optional>

namespace postrider {

/// How fast what was held goes out after the return to healthy, so that a
/// receiver that is just back is not run over: twice as fast with each full
/// second, half as fast when it fails.
class ramp {
public:
  using time_point = std::chrono::steady_clock::time_point;

  /// `start`: requests in the first second, at least 1.
  ramp(int start, time_point now) : base_{std::max(start, 1)}, since_{now} {}

  /// Requests a second that are allowed now. It rises no further than just
  /// above what is enough: by how much doubling passes that hangs on the start.
  int rate(time_point now) const {
    int out = base_;
    for (auto left = now - since_; left >= step && out <= enough; left -= step)
      out = std::min(out * 2, std::max(base_, enough + 1));
    return out;
  }

  /// A request of the endpoint failed: half as fast, but only once a second,
  /// since many fail together; and no faster before a full second has passed.
  void failed(time_point now) {
    auto current = rate(now);
    if (!halved_at_ || now - *halved_at_ >= step) {
      current = std::max(current / 2, 1);
      halved_at_ = now;
    }
    base_ = current;
    since_ = now;
  }

  /// Whether it needs no ramp any more: it goes faster than 10'000 a second,
  /// or ten seconds have passed without a failure.
  bool done(time_point now) const {
    return rate(now) > enough || now - since_ >= quiet;
  }

private:
  static constexpr std::chrono::seconds step{1};
  static constexpr std::chrono::seconds quiet{10};
  static constexpr int enough = 10'000;

  int base_;
  time_point since_; ///< the start or the last failure
  std::optional<time_point> halved_at_;
};

} // namespace postrider
