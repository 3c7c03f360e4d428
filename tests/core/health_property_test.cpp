#include "core/health.hpp"

#include <gtest/gtest.h>

#include <deque>
#include <random>
#include <set>
#include <utility>

namespace postrider {
namespace {

using namespace std::chrono_literals;
using enum health_state;

using step = std::pair<health_state, health_state>;

/// A random life of one endpoint under a random policy.
class life {
public:
  life(unsigned seed, std::set<step>& seen) : chance_{seed}, seen_{seen} {
    by_.degraded_after = upto(1, 8);
    by_.auth_after = upto(1, 4);
    by_.cooldowns.clear();
    for (int i = upto(0, 5); i > 0; --i)
      by_.cooldowns.emplace_back(upto(1, 100'000));
    by_.max_suspended = std::chrono::milliseconds{upto(1'000, 3'000'000)};
  }

  void step_on() {
    now_ += std::chrono::milliseconds{upto(0, 50'000)};
    const auto was = of_;
    switch (upto(0, 9)) {
    case 0:
      of_ = after_time(was, by_, now_);
      check_time(was);
      break;
    case 1:
      of_ = after_idle(was, by_);
      EXPECT_TRUE(of_.state == was.state
                  || (was.state == degraded && of_.state == healthy));
      break;
    default: {
      health_sign sign;
      sign.effect = static_cast<health_effect>(upto(0, 5));
      sign.first = upto(0, 2) > 0;
      sign.trial = holds(was.state) && upto(0, 1) > 0;
      sign.asked = sign.effect == health_effect::gone && upto(0, 1) > 0;
      of_ = after_attempt(was, by_, sign, upto(0, 20) == 0, now_);
      check_attempt(was, sign);
    }
    }
    check(was);
    seen_.insert({was.state, of_.state});
  }

  /// Whatever has happened, good trials and time lead out.
  void heal() {
    for (int i = 0; i < 3 && holds(of_.state); ++i) {
      now_ = std::max(now_, of_.trial_at);
      ASSERT_TRUE(trial_due(of_, now_));
      of_ = after_attempt(of_, by_, {health_effect::clears, true, true}, false,
                          now_);
    }
    EXPECT_TRUE(of_.state == healthy || of_.state == disabled);
  }

private:
  int upto(int least, int most) {
    return least
           + static_cast<int>(chance_()
                              % static_cast<unsigned>(most - least + 1));
  }

  void check(const health& was) {
    if (was.state == disabled) {
      EXPECT_EQ(of_.state, disabled) << "left without an operator";
    }
    EXPECT_GE(of_.rung, 0);
    EXPECT_LE(of_.rung, static_cast<int>(by_.cooldowns.size()));
    if (of_.state == suspended) {
      EXPECT_TRUE(of_.suspended_since);
    }
    if (was.suspended_since && holds(of_.state)) {
      EXPECT_EQ(of_.suspended_since, was.suspended_since) << "once an incident";
    }
    if (of_.state == healthy) {
      EXPECT_FALSE(of_.suspended_since);
      EXPECT_LT(of_.transient_streak, std::max(by_.degraded_after, 1));
      EXPECT_LT(of_.auth_streak, by_.auth_after);
    }
    if (of_.state != was.state && holds(of_.state)) {
      EXPECT_GE(of_.trial_at, now_);
    }
  }

  void check_attempt(const health& was, const health_sign& sign) {
    if (holds(was.state) && !sign.trial && sign.effect != health_effect::gone) {
      EXPECT_EQ(of_.state, was.state) << "moved by what was no trial";
      EXPECT_EQ(of_.rung, was.rung);
      EXPECT_EQ(of_.trial_at, was.trial_at);
    }
    if (was.state == suspended) {
      EXPECT_NE(of_.state, healthy) << "never straight";
    }
    EXPECT_TRUE(of_.state != disabled || was.state == disabled);
    if (sign.effect == health_effect::none) {
      EXPECT_EQ(of_.state, was.state);
    }
  }

  void check_time(const health& was) {
    if (of_.state != was.state) {
      EXPECT_EQ(was.state, suspended);
      EXPECT_EQ(of_.state, disabled);
      EXPECT_GE(now_, *was.suspended_since + by_.max_suspended);
    }
  }

  std::mt19937 chance_;
  std::set<step>& seen_;
  health_policy by_;
  health of_;
  health::time_point now_{1'000h};
};

TEST(HealthProperty, EveryLifeKeepsTheRules) {
  std::set<step> seen;
  for (unsigned seed = 1; seed <= 3'000; ++seed) {
    SCOPED_TRACE(seed);
    life one{seed, seen};
    for (int i = 0; i < 60; ++i)
      one.step_on();
    one.heal();
    ASSERT_FALSE(::testing::Test::HasFailure());
  }
  // All moves that DESIGN 6 has, and no other.
  std::erase_if(seen, [](const step& one) { return one.first == one.second; });
  EXPECT_EQ(seen, (std::set<step>{{healthy, degraded},
                                  {healthy, suspended},
                                  {degraded, healthy},
                                  {degraded, suspended},
                                  {suspended, degraded},
                                  {suspended, disabled}}));
}

// -- the ratio ---------------------------------------------------------------

/// All attempts in a list, the old ones dropped by whole slices.
class plain_window {
public:
  bool add(bool failed, const health_policy& by, health::time_point now) {
    all_.push_back({number(by, now), failed});
    int many = 0;
    int bad = 0;
    for (const auto& one : all_)
      if (one.first > number(by, now) - 10) {
        ++many;
        bad += one.second;
      }
    return failed && many >= by.ratio_min
           && bad >= by.failure_ratio * static_cast<double>(many);
  }
  void add_successes(int many, const health_policy& by,
                     health::time_point now) {
    for (; many > 0; --many)
      all_.push_back({number(by, now), false});
  }

private:
  static std::int64_t number(const health_policy& by, health::time_point now) {
    const auto past = std::chrono::duration_cast<std::chrono::milliseconds>(
        now.time_since_epoch());
    return past / (by.ratio_window / 10);
  }
  std::deque<std::pair<std::int64_t, bool>> all_;
};

TEST(FailureWindow, SaysWhatAPlainListSays) {
  for (unsigned seed = 1; seed <= 300; ++seed) {
    SCOPED_TRACE(seed);
    std::mt19937 chance{seed};
    health_policy by;
    by.ratio_min = static_cast<int>(1 + chance() % 30);
    by.failure_ratio = 0.1 * static_cast<double>(1 + chance() % 10);
    by.ratio_window = std::chrono::milliseconds{1'000 * (1 + chance() % 100)};
    failure_window real;
    plain_window model;
    health::time_point now{5'000h};
    for (int i = 0; i < 300; ++i) {
      now += by.ratio_window * static_cast<int>(chance() % 30) / 200;
      if (chance() % 40 == 0)
        now += by.ratio_window;
      if (chance() % 4 == 0) {
        const auto many = static_cast<int>(chance() % 9);
        real.add_successes(many, by, now);
        model.add_successes(many, by, now);
        continue;
      }
      const bool failed = chance() % 2 == 0;
      ASSERT_EQ(real.add(failed, by, now), model.add(failed, by, now)) << i;
    }
  }
}

TEST(FailureWindow, ForgetsWhatIsOlderThanTheWindow) {
  health_policy by;
  by.ratio_min = 2;
  by.ratio_window = 100s;
  failure_window one;
  EXPECT_FALSE(one.add(true, by, health::time_point{1'000s}));
  EXPECT_FALSE(one.add(true, by, health::time_point{1'100s}));
  EXPECT_TRUE(one.add(true, by, health::time_point{1'199s}));
}

TEST(FailureWindow, CountsNothingOfAnotherLengthAfterAChangeOfThePolicy) {
  health_policy by;
  by.ratio_min = 3;
  by.ratio_window = 10s;
  failure_window one;
  one.add(true, by, health::time_point{1'000s});
  one.add(true, by, health::time_point{1'000s});
  by.ratio_window = 1'000s;
  EXPECT_FALSE(one.add(true, by, health::time_point{5'000s}));
}

} // namespace
} // namespace postrider
