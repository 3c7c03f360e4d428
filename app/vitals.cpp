#include "app/vitals.hpp"

#include <algorithm>
#include <utility>

namespace postrider::app {

namespace {

using namespace std::chrono;

// A handler that computes takes milliseconds; one that asks the database is
// cut off by the time-outs of connecting and of statements, 50 s together, and
// there may be several of them in one.
constexpr actors::patience limits{seconds{10}, seconds{20}, seconds{180}};

std::int64_t tick_of(const actors::named_loop& one) {
  return one.meters->ticked.load(std::memory_order_relaxed);
}

} // namespace

vitals::vitals(std::vector<actors::named_loop> loops, actor_list actors)
    : loops_{std::move(loops)},
      actors_{std::move(actors)},
      ticks_(loops_.size(), 0) {}

std::vector<api::health_check> vitals::checks() const {
  const auto dead = actors::dead_loop(loops_, limits);
  const auto stuck = actors::stuck_actor(actors_(), limits);
  return {{"loops", dead.empty(), dead}, {"actors", stuck.empty(), stuck}};
}

bool vitals::moved() {
  const auto all = actors_();
  std::uint64_t messages = 0;
  for (const auto& one : all)
    messages += one.messages;
  if (messages == messages_ || !actors::stuck_actor(all, limits).empty())
    return false;
  std::vector<std::int64_t> ticks;
  for (const auto& one : loops_)
    ticks.push_back(tick_of(one));
  if (!std::equal(ticks.begin(), ticks.end(), ticks_.begin(), std::greater<>{}))
    return false;
  messages_ = messages;
  ticks_ = std::move(ticks);
  return true;
}

} // namespace postrider::app
