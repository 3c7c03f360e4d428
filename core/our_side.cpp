#include "core/our_side.hpp"

namespace postrider {

namespace {

using namespace std::chrono_literals;

constexpr auto grain = 1ms;

} // namespace

bool our_side::is_ours(std::int64_t endpoint, const attempt_result& result,
                       time_point now) {
  switch (sign_of(result)) {
  case network_sign::works:
    answered(now);
    return false;
  case network_sign::suspect: {
    const std::lock_guard lock{mutex_};
    catch_up();
    const bool ours = rules_.suspect(endpoint, now);
    publish();
    return ours;
  }
  case network_sign::ours:
    short_of_resources(now);
    return true;
  case network_sign::none:
    break;
  }
  if (auto ago = connected_ago(result))
    answered(now - *ago);
  return false;
}

void our_side::short_of_resources(time_point now) {
  const std::lock_guard lock{mutex_};
  catch_up();
  rules_.short_of_resources(now);
  publish();
}

std::optional<our_side::time_point> our_side::closed(time_point now) const {
  if (!in_force_.load(std::memory_order_relaxed))
    return std::nullopt;
  const std::lock_guard lock{mutex_};
  return rules_.closed(now);
}

bool our_side::admit(time_point now) {
  if (!in_force_.load(std::memory_order_relaxed))
    return true;
  const std::lock_guard lock{mutex_};
  const bool may = rules_.admit(now);
  publish();
  return may;
}

void our_side::answered(time_point at) {
  if (in_force_.load(std::memory_order_relaxed)) {
    const std::lock_guard lock{mutex_};
    rules_.answered(at);
    publish();
    return;
  }
  // All partitions write here: seldom, so that they don't wait for each other.
  const auto seen = answered_.load(std::memory_order_relaxed);
  if (seen == never || at - time_point{time_point::duration{seen}} >= grain)
    answered_.store(at.time_since_epoch().count(), std::memory_order_relaxed);
}

// Only before an outage: in one, an answer goes to the rules itself, and one
// that was seen before it must not end it.
void our_side::catch_up() {
  const auto seen = answered_.load(std::memory_order_relaxed);
  if (!rules_.in_force() && seen != never)
    rules_.answered(time_point{time_point::duration{seen}});
}

void our_side::publish() {
  in_force_.store(rules_.in_force(), std::memory_order_relaxed);
}

} // namespace postrider
