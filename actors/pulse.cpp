#include "actors/pulse.hpp"

#include <algorithm>

namespace postrider::actors {

namespace {

void read_one(const actor_pulse& one, std::int64_t now, actor_reading& out) {
  // Read in this order the difference is never below the truth.
  const auto handled = one.handled.value();
  const auto received = one.received.value();
  out.mailbox = std::max(out.mailbox, received - std::min(received, handled));
  out.messages += handled;
  one.spent.add_to(out.spent);
  if (const auto since = one.since.load(std::memory_order_relaxed)) {
    ++out.busy;
    out.stuck = std::max(out.stuck, std::chrono::nanoseconds{now - since});
  }
}

} // namespace

void pulse_board::add(const std::string& kind, const actor_pulse_ptr& one) {
  const std::lock_guard lock{mutex_};
  kinds_[kind].alive.push_back(one);
}

void pulse_board::remove(const std::string& kind, const actor_pulse_ptr& one) {
  const std::lock_guard lock{mutex_};
  auto& record = kinds_[kind];
  if (std::erase(record.alive, one) == 0)
    return;
  record.messages += one->handled.value();
  one->spent.add_to(record.spent);
}

std::vector<actor_reading> pulse_board::read() const {
  const auto now = std::chrono::steady_clock::now().time_since_epoch();
  const std::lock_guard lock{mutex_};
  std::vector<actor_reading> out;
  for (const auto& [kind, record] : kinds_) {
    actor_reading reading;
    reading.kind = kind;
    reading.instances = record.alive.size();
    reading.messages = record.messages;
    reading.spent = record.spent;
    reading.spent.buckets.resize(quick_times::bounds().size() + 1);
    for (const auto& one : record.alive)
      read_one(*one, std::chrono::nanoseconds{now}.count(), reading);
    out.push_back(std::move(reading));
  }
  return out;
}

} // namespace postrider::actors
