#include "core/health.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <ostream>
#include <vector>

namespace postrider {

std::ostream& operator<<(std::ostream& to, health_state state) {
  return to << to_string(state);
}
std::ostream& operator<<(std::ostream& to, health_cause cause) {
  return to << to_string(cause);
}

namespace {

using namespace std::chrono_literals;
using enum health_state;
using effect = health_effect;

const health_policy& usual = *find_health_policy("default");
constexpr health::time_point start{1'000h};

health in(health_state state) {
  health out;
  out.state = state;
  if (holds(state))
    out.trial_at = start;
  if (state == suspended)
    out.suspended_since = start;
  return out;
}

health after(health was, health_sign sign, bool ratio = false,
             health::time_point now = start) {
  return after_attempt(std::move(was), usual, sign, ratio, now);
}

health_sign plain(effect what) {
  return {what, true, false, false};
}
health_sign trial(effect what) {
  return {what, true, true, false};
}

// -- one sign, from each state -----------------------------------------------

struct step {
  health_state from;
  health_sign sign;
  health_state to;
  health_cause cause = health_cause::none;
};

// DESIGN 6: what one attempt alone can do.
TEST(Health, MovesByOneSignAsTheTableSays) {
  const std::vector<step> table{
      {healthy, plain(effect::none), healthy},
      {healthy, plain(effect::clears), healthy},
      {healthy, plain(effect::transient), healthy},
      {healthy, plain(effect::rate_limited), healthy},
      {healthy, plain(effect::auth), healthy},
      {healthy, plain(effect::gone), suspended, health_cause::gone},
      {healthy,
       {effect::gone, false, false, true},
       suspended,
       health_cause::asked},
      {degraded, plain(effect::none), degraded},
      {degraded, plain(effect::clears), degraded},
      {degraded, plain(effect::transient), degraded},
      {degraded, plain(effect::rate_limited), degraded},
      {degraded, plain(effect::auth), degraded},
      {degraded, plain(effect::gone), suspended, health_cause::gone},
      {degraded, trial(effect::none), degraded},
      {degraded, trial(effect::clears), healthy, health_cause::trial},
      {degraded, trial(effect::transient), degraded},
      {degraded, trial(effect::rate_limited), degraded},
      {degraded, trial(effect::auth), degraded},
      {degraded, trial(effect::gone), suspended, health_cause::gone},
      {suspended, plain(effect::clears), suspended},
      {suspended, plain(effect::transient), suspended},
      {suspended, plain(effect::auth), suspended},
      {suspended, plain(effect::gone), suspended},
      {suspended, trial(effect::none), suspended},
      {suspended, trial(effect::clears), degraded, health_cause::trial},
      {suspended, trial(effect::transient), suspended},
      {suspended, trial(effect::rate_limited), suspended},
      {suspended, trial(effect::auth), suspended},
      {suspended, trial(effect::gone), suspended},
      {disabled, plain(effect::clears), disabled},
      {disabled, trial(effect::clears), disabled},
      {disabled, trial(effect::transient), disabled},
      {disabled, plain(effect::gone), disabled},
  };
  for (const auto& [from, sign, to, cause] : table) {
    const auto got = after(in(from), sign);
    EXPECT_EQ(got.state, to)
        << "from " << from << " by effect " << static_cast<int>(sign.effect)
        << (sign.trial ? " of a trial" : "");
    EXPECT_EQ(got.cause, from == to ? health_cause::none : cause);
  }
}

TEST(Health, ClimbsOnlyByTrialsThatFailed) {
  for (const auto state : {degraded, suspended})
    for (const auto what :
         {effect::transient, effect::rate_limited, effect::auth}) {
      EXPECT_EQ(after(in(state), trial(what)).rung, 1);
      EXPECT_EQ(after(in(state), trial(what)).trial_at, start + 15s);
      EXPECT_EQ(after(in(state), plain(what)).rung, 0);
    }
  EXPECT_EQ(after(in(degraded), trial(effect::none)).rung, 0);
  EXPECT_EQ(after(in(suspended), trial(effect::gone)).rung, 1);
}

TEST(Health, DegradesAtTheFifthFailureOfAFirstAttemptInARow) {
  auto one = in(healthy);
  for (int i = 0; i < 4; ++i)
    one = after(one, plain(effect::transient));
  one = after(one, {effect::transient, false, false, false});
  EXPECT_EQ(one.state, healthy);
  one = after(one, plain(effect::transient));
  EXPECT_EQ(one.state, degraded);
  EXPECT_EQ(one.cause, health_cause::threshold);
  EXPECT_EQ(one.trial_at, start + 5s);
}

TEST(Health, DegradesByTheRatioOnlyOnAFirstAttempt) {
  EXPECT_EQ(after(in(healthy), plain(effect::transient), true).cause,
            health_cause::failure_ratio);
  EXPECT_EQ(
      after(in(healthy), {effect::transient, false, false, false}, true).state,
      healthy);
  EXPECT_EQ(after(in(healthy), plain(effect::clears), true).state, healthy);
}

TEST(Health, SuspendsAtTheThirdAuthFailureWithoutASuccess) {
  auto one =
      after(after(in(healthy), plain(effect::auth)), plain(effect::auth));
  EXPECT_EQ(after(one, plain(effect::auth)).state, suspended);
  one = after(one, plain(effect::clears));
  EXPECT_EQ(after(one, plain(effect::auth)).state, healthy);
}

TEST(Health, SuspendsADegradedEndpointWhoseTrialsAreRefusedForAuth) {
  auto one = in(degraded);
  for (int i = 0; i < 3; ++i)
    one = after(one, trial(effect::auth));
  EXPECT_EQ(one.state, suspended);
  EXPECT_EQ(one.cause, health_cause::auth_streak);
}

TEST(Health, StaysAtTheTopOfTheScheduleWhoCameByExhaustion) {
  auto one = in(degraded);
  for (int i = 0; i < 7; ++i)
    one = after(one, trial(effect::transient));
  EXPECT_EQ(one.state, suspended);
  EXPECT_EQ(one.cause, health_cause::schedule_exhausted);
  EXPECT_EQ(one.rung, 7);
  EXPECT_EQ(one.trial_at, start + 4h);
  EXPECT_EQ(after(one, trial(effect::transient)).rung, 7);
}

TEST(Health, IsOneFailureAwayFromDegradedAfterAnIdleTime) {
  for (int streak = 0; streak < 7; ++streak) {
    auto idle = in(degraded);
    idle.transient_streak = streak;
    const auto one = after_idle(idle, usual);
    EXPECT_EQ(one.state, healthy);
    EXPECT_EQ(one.cause, health_cause::idle);
    EXPECT_EQ(after(one, plain(effect::transient)).state, degraded);
  }
  for (const auto state : {healthy, suspended, disabled})
    EXPECT_EQ(after_idle(in(state), usual).state, state);
}

TEST(Health, ForgetsTheStreakWithAGoodTrial) {
  auto one = in(degraded);
  one.transient_streak = 9;
  one = after(one, trial(effect::clears));
  EXPECT_EQ(after(one, plain(effect::transient)).state, healthy);
}

TEST(Health, GivesUpAfterTheTimeOfTheWholeIncident) {
  auto one = in(suspended);
  one = after(one, trial(effect::clears), false, start + 100h);
  ASSERT_EQ(one.state, degraded);
  EXPECT_EQ(after_time(one, usual, start + 500h).state, degraded);
  one = after(one, plain(effect::gone), false, start + 160h);
  EXPECT_EQ(one.suspended_since, start);
  EXPECT_EQ(after_time(one, usual, start + 168h - 1ms).state, suspended);
  const auto end = after_time(one, usual, start + 168h);
  EXPECT_EQ(end.state, disabled);
  EXPECT_EQ(end.cause, health_cause::max_suspended);
}

TEST(Health, LetsATrialOutOnlyAfterItsCooldown) {
  EXPECT_FALSE(trial_due(in(degraded), start - 1ns));
  EXPECT_TRUE(trial_due(in(degraded), start));
  EXPECT_TRUE(trial_due(in(suspended), start));
  EXPECT_FALSE(trial_due(in(healthy), start));
  EXPECT_FALSE(trial_due(in(disabled), start));
}

TEST(Health, HasNamesThatItReadsBack) {
  for (const auto state : {healthy, degraded, suspended, disabled})
    EXPECT_EQ(parse_health_state(to_string(state)), state);
  for (int i = 0; i <= static_cast<int>(health_cause::operator_); ++i) {
    const auto cause = static_cast<health_cause>(i);
    EXPECT_EQ(parse_health_cause(to_string(cause)), cause);
  }
  EXPECT_FALSE(parse_health_state("well"));
  EXPECT_FALSE(parse_health_cause("luck"));
}

TEST(Health, KnowsItsPoliciesByName) {
  EXPECT_EQ(usual.cooldowns, (std::vector<health_policy::span>{
                                 5s, 15s, 1min, 5min, 20min, 1h, 4h}));
  const auto* shop = find_health_policy("shop");
  ASSERT_TRUE(shop);
  EXPECT_EQ(shop->cooldowns, (std::vector<health_policy::span>{
                                 5min, 10min, 20min, 40min, 1h, 4h}));
  EXPECT_TRUE(shop->shed);
  EXPECT_EQ(shop->held_max, 10'000);
  EXPECT_FALSE(find_health_policy("none"));
}

} // namespace
} // namespace postrider
