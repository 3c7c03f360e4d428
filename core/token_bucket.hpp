#pragma once

#include <chrono>
#include <cstdint>
#include <optional>

namespace postrider {

/// How many may start: a rate with a small burst. In whatever span of time, no
/// more are given than the rate allows for it and one burst beside, which is
/// what comes in 20 ms, but at least one. Time never has to move forward
/// between two calls; whatever is given can't be given back.
class token_bucket {
public:
  using time_point = std::chrono::steady_clock::time_point;

  /// Begins with one token. The rate is above 0; one that gives less than a
  /// token a day counts as one a day.
  token_bucket(double per_second, time_point now);

  /// What there is of it, at once: 0 to `wanted`.
  int take(int wanted, time_point now);

  /// When the next token will be there, to the nanosecond; nothing when one is
  /// there now.
  std::optional<time_point> next(time_point now) const;

  /// Whether it is as if nothing had been taken for long.
  bool full(time_point now) const { return now >= full_at_; }

  /// What is there stays, as far as the new burst holds it.
  void set_rate(double per_second, time_point now);

private:
  using span = std::chrono::nanoseconds;

  span level(time_point now) const;

  // Counted in time, so that nothing drifts: a token is worth `each_`.
  span each_;
  span capacity_;
  time_point full_at_;
};

} // namespace postrider
