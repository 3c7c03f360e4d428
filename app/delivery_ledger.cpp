#include "app/delivery_ledger.hpp"

namespace postrider::app {

namespace {

constexpr std::size_t remembered = 100'000;

} // namespace

void delivery_ledger::accepted(const std::string& event, int deliveries) {
  const std::lock_guard guard{mutex_};
  ++totals_.accepted;
  totals_.expected += static_cast<std::uint64_t>(deliveries);
  auto& state = open_[event];
  state.accepted = true;
  state.expected = deliveries;
  totals_.delivered += static_cast<std::uint64_t>(state.delivered);
  close_if_complete(event, state);
}

void delivery_ledger::arrived(const receipt& one) {
  const std::lock_guard guard{mutex_};
  if (!one.signature_good)
    ++totals_.badly_signed;
  if (one.attempt > 0) {
    ++totals_.retried;
  } else {
    ++totals_.first;
    latency_.add(one.latency);
    check_order(one);
  }
  if (one.succeeded)
    count_delivered(one);
}

void delivery_ledger::check_order(const receipt& one) {
  if (one.stream.empty())
    return;
  auto& last = last_[one.stream];
  // The same sequence again is a duplicate and no matter of order.
  if (one.sequence < last)
    ++totals_.out_of_order;
  else
    last = one.sequence;
}

void delivery_ledger::count_delivered(const receipt& one) {
  if (!done_.insert(one.id).second) {
    ++totals_.duplicates;
    return;
  }
  done_order_.push_back(one.id);
  if (done_order_.size() > remembered) {
    done_.erase(done_order_.front());
    done_order_.pop_front();
  }
  auto& state = open_[one.event];
  ++state.delivered;
  if (state.accepted)
    ++totals_.delivered;
  close_if_complete(one.event, state);
}

void delivery_ledger::close_if_complete(const std::string& event,
                                        const open_event& state) {
  if (state.accepted && state.delivered >= state.expected)
    open_.erase(event);
}

ledger_totals delivery_ledger::totals() const {
  const std::lock_guard guard{mutex_};
  auto now = totals_;
  now.p50 = latency_.quantile(0.50);
  now.p99 = latency_.quantile(0.99);
  return now;
}

} // namespace postrider::app
