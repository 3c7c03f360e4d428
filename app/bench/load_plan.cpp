#include "app/bench/load_plan.hpp"

#include "app/bench/payload.hpp"

#include <algorithm>
#include <chrono>
#include <thread>

namespace postrider::app {

namespace {

/// The longest wait that does not look whether all has ended.
constexpr std::int64_t step = 50'000; // µs

} // namespace

load_plan::load_plan(std::uint64_t first, std::uint64_t events, double rate,
                     std::int64_t start)
    : first_{first}, events_{events}, rate_{rate}, start_{start} {}

load_plan::load_plan(std::uint64_t first, std::uint64_t events,
                     std::uint64_t portion)
    : first_{first}, events_{events}, portion_{portion} {}

std::optional<load_portion> load_plan::next() {
  if (ended_)
    return std::nullopt;
  const auto at = next_.fetch_add(portion_);
  if (at >= events_)
    return std::nullopt;
  load_portion one;
  one.first = first_ + at;
  one.count = std::min(portion_, events_ - at);
  one.intended = rate_ > 0 ? start_
                                 + static_cast<std::int64_t>(
                                     static_cast<double>(at) * 1e6 / rate_)
                           : monotonic_now();
  return one;
}

bool load_plan::wait_for(const load_portion& one) const {
  for (;;) {
    if (ended_)
      return false;
    const auto left = one.intended - monotonic_now();
    if (left <= 0)
      return true;
    std::this_thread::sleep_for(
        std::chrono::microseconds{std::min(left, step)});
  }
}

} // namespace postrider::app
