#include "app/vitals.hpp"

#include <algorithm>
#include <utility>

namespace postrider::app {

namespace {

using namespace std::chrono;

constexpr seconds dead_after{10};
// A handler that computes takes milliseconds; one that asks the database is
// cut off by the time-outs of connecting and of statements, 50 s together, and
// there may be several of them in one.
constexpr seconds stuck_after{20};
constexpr seconds stuck_at_database_after{180};

seconds limit_of(const std::string& kind) {
  const bool asks =
      kind.ends_with("_store") || kind == "janitor" || kind == "sampler";
  return asks ? stuck_at_database_after : stuck_after;
}

std::int64_t tick_of(const vitals::loop& one) {
  return one.meters->ticked.load(std::memory_order_relaxed);
}

} // namespace

vitals::vitals(std::vector<loop> loops, actor_list actors)
    : loops_{std::move(loops)},
      actors_{std::move(actors)},
      ticks_(loops_.size(), 0) {}

std::string vitals::dead_loop() const {
  const nanoseconds now{steady_clock::now().time_since_epoch()};
  for (const auto& one : loops_)
    if (now - nanoseconds{tick_of(one)} > dead_after)
      return "the loop " + one.name + " does not turn";
  return {};
}

std::string
vitals::stuck_actor(const std::vector<actors::actor_reading>& all) const {
  for (const auto& one : all)
    if (one.stuck > limit_of(one.kind))
      return one.kind + " has been handling one message for "
             + std::to_string(duration_cast<seconds>(one.stuck).count()) + " s";
  return {};
}

std::vector<api::health_check> vitals::checks() const {
  const auto dead = dead_loop();
  const auto stuck = stuck_actor(actors_());
  return {{"loops", dead.empty(), dead}, {"actors", stuck.empty(), stuck}};
}

bool vitals::moved() {
  const auto all = actors_();
  std::uint64_t messages = 0;
  for (const auto& one : all)
    messages += one.messages;
  if (messages == messages_ || !stuck_actor(all).empty())
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
