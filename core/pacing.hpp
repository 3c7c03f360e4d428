#pragma once

#include "core/ramp.hpp"
#include "core/token_bucket.hpp"

#include <chrono>
#include <optional>

namespace postrider {

/// How fast requests to an endpoint may follow each other: its own rate, and
/// a ramp after its return to healthy, whichever is slower.
class pacing {
public:
  using time_point = std::chrono::steady_clock::time_point;

  /// The endpoint's own rate; nothing for none.
  void limit(std::optional<double> rate, time_point now);
  /// A ramp begins; `level` ends it.
  void rise(int start, time_point now);
  void level();
  /// The receiver had trouble with what it got.
  void failed(time_point now);

  /// Whether tokens are needed.
  bool limited() const { return own_ || rising_; }
  /// As many of `wanted` as may begin now.
  int take(int wanted, time_point now);
  /// When there will be one; nothing when none is needed.
  std::optional<time_point> next(time_point now);

private:
  std::optional<token_bucket> own_;
  std::optional<double> rate_;
  std::optional<ramp> rising_;
  std::optional<token_bucket> ramped_;

  void climb(time_point now);
};

} // namespace postrider
