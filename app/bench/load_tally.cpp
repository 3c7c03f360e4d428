#include "app/bench/load_tally.hpp"

#include "app/bench/payload.hpp"

#include <algorithm>

namespace postrider::app {

load_tally::load_tally(std::int64_t measure_from)
    : measure_from_{measure_from} {}

void load_tally::accepted(const load_portion& one) {
  const auto now = monotonic_now();
  const std::lock_guard guard{mutex_};
  counts_.accepted += one.count;
  const auto end = one.first + one.count;
  if (end > accepted_.size())
    accepted_.resize(std::max<std::size_t>(end, accepted_.size() * 2));
  for (auto number = one.first; number < end; ++number)
    accepted_[number] = now;
  if (one.intended >= measure_from_)
    latencies_.add(now - one.intended);
}

void load_tally::refused(const load_portion& one) {
  const std::lock_guard guard{mutex_};
  counts_.refused += one.count;
}

void load_tally::failed(const load_portion& one, const std::string& why) {
  const std::lock_guard guard{mutex_};
  counts_.failed += one.count;
  counts_.trouble = why;
}

load_counts load_tally::counts() const {
  const std::lock_guard guard{mutex_};
  return counts_;
}

log_histogram load_tally::latencies() const {
  const std::lock_guard guard{mutex_};
  return latencies_;
}

std::int64_t load_tally::accepted_at(std::uint64_t number) const {
  const std::lock_guard guard{mutex_};
  return number < accepted_.size() ? accepted_[number] : 0;
}

} // namespace postrider::app
