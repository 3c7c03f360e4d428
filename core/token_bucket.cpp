#include "core/token_bucket.hpp"

#include <algorithm>
#include <cmath>

namespace postrider {

namespace {

using std::chrono::nanoseconds;
using namespace std::chrono_literals;

constexpr nanoseconds burst = 20ms;
constexpr nanoseconds slowest = 24h;

// Rounded up: a rate is never exceeded for the sake of a fraction.
nanoseconds span_of_one(double per_second) {
  auto exact = std::ceil(1e9 / per_second);
  if (!(exact < static_cast<double>(slowest.count())))
    return slowest;
  return std::max(nanoseconds{static_cast<std::int64_t>(exact)}, 1ns);
}

} // namespace

token_bucket::token_bucket(double per_second, time_point now)
    : each_{span_of_one(per_second)},
      capacity_{std::max(each_, burst)},
      full_at_{now + (capacity_ - each_)} {}

token_bucket::span token_bucket::level(time_point now) const {
  return std::max(capacity_ - std::max(span{full_at_ - now}, 0ns), 0ns);
}

int token_bucket::take(int wanted, time_point now) {
  auto there = level(now) / each_;
  auto given = std::min<std::int64_t>(std::max(wanted, 0), there);
  if (given > 0)
    full_at_ = std::max(full_at_, now) + given * each_;
  return static_cast<int>(given);
}

std::optional<token_bucket::time_point>
token_bucket::next(time_point now) const {
  if (level(now) >= each_)
    return std::nullopt;
  return full_at_ - (capacity_ - each_);
}

void token_bucket::set_rate(double per_second, time_point now) {
  auto each = span_of_one(per_second);
  if (each == each_)
    return; // nothing is lost to rounding, however often it is set
  auto tokens = static_cast<double>(level(now).count())
                / static_cast<double>(each_.count());
  each_ = each;
  capacity_ = std::max(each_, burst);
  // A whole token stays one in spite of rounding, a part never becomes one.
  auto whole = std::floor(tokens);
  auto part = (tokens - whole) * static_cast<double>(each.count());
  auto kept = static_cast<std::int64_t>(whole) * each_
              + span{static_cast<std::int64_t>(part)};
  full_at_ = now + (capacity_ - std::min(kept, capacity_));
}

} // namespace postrider
