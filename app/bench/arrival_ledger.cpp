#include "app/bench/arrival_ledger.hpp"

#include <algorithm>

namespace postrider::app {

namespace {

/// A run that is larger would need more memory than a receiver should take.
constexpr std::uint64_t most_events = std::uint64_t{1} << 32;
constexpr std::size_t most_overtakings = 10'000;

} // namespace

arrival_ledger::arrival_ledger(std::size_t endpoints)
    : watched_{endpoints}, last_(endpoints) {}

void arrival_ledger::arrived(const bench_arrival& one) {
  if (one.endpoint >= last_.size() || one.number >= most_events) {
    ++totals_.foreign;
    return;
  }
  ++totals_.arrived;
  totals_.last = std::max(totals_.last, one.arrived);
  if (one.attempt > 0)
    ++totals_.retries;
  else
    check_order(one);
  if (!one.taken) {
    ++totals_.turned_away;
    return;
  }
  pace_.arrived(one.arrived);
  if (one.number >= seen_.size())
    seen_.resize(std::max<std::size_t>(one.number + 1, seen_.size() * 2));
  if (seen_[one.number]) {
    ++totals_.duplicates;
    return;
  }
  seen_[one.number] = true;
  ++totals_.unique;
  if (one.intended >= measure_from_ && one.endpoint < watched_)
    latencies_.add(one.arrived - one.intended);
}

void arrival_ledger::measure_from(std::int64_t moment) {
  measure_from_ = moment;
  latencies_ = {};
  pace_ = arrival_pace{moment};
}

void arrival_ledger::check_order(const bench_arrival& one) {
  auto& last = last_[one.endpoint];
  // The same one again is a duplicate and no matter of order.
  if (one.sequence < last.sequence) {
    ++totals_.inversions;
    if (overtakings_.size() < most_overtakings)
      overtakings_.push_back({one.number, last.intended});
  }
  last.sequence = std::max(last.sequence, one.sequence);
  last.intended = std::max(last.intended, one.intended);
}

void arrival_ledger::signature(bool good) {
  ++totals_.verified;
  if (!good)
    ++totals_.forged;
}

} // namespace postrider::app
