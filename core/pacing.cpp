#include "core/pacing.hpp"

#include <algorithm>

namespace postrider {

void pacing::limit(std::optional<double> rate, time_point now) {
  if (rate == rate_)
    return;
  rate_ = rate;
  if (rate)
    own_.emplace(*rate, now);
  else
    own_.reset();
}

void pacing::rise(int start, time_point now) {
  rising_.emplace(start, now);
  ramped_.emplace(rising_->rate(now), now);
}

void pacing::level() {
  rising_.reset();
  ramped_.reset();
}

void pacing::failed(time_point now) {
  if (rising_)
    rising_->failed(now);
}

void pacing::climb(time_point now) {
  if (!rising_)
    return;
  ramped_->set_rate(rising_->rate(now), now);
  if (rising_->done(now))
    level();
}

int pacing::take(int wanted, time_point now) {
  climb(now);
  if (ramped_)
    wanted = ramped_->take(wanted, now);
  return own_ ? own_->take(wanted, now) : wanted;
}

std::optional<pacing::time_point> pacing::next(time_point now) {
  climb(now);
  std::optional<time_point> out;
  if (ramped_)
    out = ramped_->next(now);
  if (own_)
    out = std::max(out, own_->next(now));
  return out;
}

} // namespace postrider
