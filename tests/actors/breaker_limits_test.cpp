#include "tests/actors/breaker_fixture.hpp"

namespace postrider {
namespace {

using namespace std::chrono_literals;
using enum health_state;

/// Pauses, rates, and when the driver is told.
class BreakerLimits : public testing::breaker_fixture {
protected:
  void rest(span by) { report({health_effect::rate_limited}, 0, by); }
};

// -- Retry-After -------------------------------------------------------------

TEST_F(BreakerLimits, WaitsInLineForAShortPause) {
  start();
  rest(800ms);
  EXPECT_EQ(word().what, mode::wait);
  EXPECT_TRUE(word().keep);
  pass(799ms);
  EXPECT_EQ(word().what, mode::wait);
  pass(2ms);
  EXPECT_EQ(word().what, mode::open);
  EXPECT_FALSE(word().reopen) << "nothing has left the window";
  EXPECT_TRUE(world_.moves.empty());
}

TEST_F(BreakerLimits, ParksForALongPauseAndReadsAnewAfterIt) {
  start();
  rest(30s);
  EXPECT_EQ(word().what, mode::park);
  EXPECT_EQ(move().pause_for, 30s);
  EXPECT_EQ(move().state, healthy);
  pass(29'999ms);
  EXPECT_EQ(word().what, mode::park);
  pass(2ms);
  EXPECT_EQ(word().what, mode::open);
  EXPECT_TRUE(word().reopen);
  all_is_read();
  EXPECT_FALSE(word().keep);
}

// Something else may make it speak in the last second.
TEST_F(BreakerLimits, ReadsAnewAfterALongPauseHoweverItEnds) {
  start();
  rest(5s);
  ASSERT_EQ(word().what, mode::park);
  pass(4'500ms);
  fail();
  pass(600ms);
  EXPECT_EQ(word().what, mode::open);
  EXPECT_TRUE(word().reopen);
}

TEST_F(BreakerLimits, PutsAPauseOnlyLaterNeverSooner) {
  start();
  rest(30s);
  rest(3s);
  pass(29s);
  EXPECT_EQ(word().what, mode::park);
  rest(30s);
  pass(29s);
  EXPECT_EQ(word().what, mode::park);
  pass(1'001ms);
  EXPECT_EQ(word().what, mode::open);
}

TEST_F(BreakerLimits, HoldsRatherThanParksWhenItIsSickToo) {
  start();
  fail(4);
  report({health_effect::transient}, 0, 30s);
  EXPECT_EQ(word().what, mode::hold);
  EXPECT_EQ(move().state, degraded);
  EXPECT_EQ(move().pause_for, 30s);
}

// -- rate --------------------------------------------------------------------

TEST_F(BreakerLimits, NeverGivesMoreThanTheRateAndNoLessInTheLongRun) {
  to_.rate = 100;
  start();
  EXPECT_EQ(word().what, mode::open);
  EXPECT_TRUE(word().metered);
  for (int second = 1; second <= 5; ++second) {
    const auto until = now() + 1s;
    auto before = tokens();
    want(1'000);
    while (now() < until) {
      pass(1ms);
      if (tokens() != before) { // what was given is used up at once
        before = tokens();
        want(1'000);
      }
    }
    EXPECT_LE(tokens(), 100 * second + 2);
    EXPECT_GE(tokens(), 98 * second - 2);
  }
}

TEST_F(BreakerLimits, GivesTokensOnlyToWhoAsks) {
  to_.rate = 100;
  start();
  pass(10s);
  EXPECT_EQ(tokens(), 0);
  want(1);
  EXPECT_EQ(tokens(), 1);
  pass(10s);
  EXPECT_EQ(tokens(), 1);
}

TEST_F(BreakerLimits, GivesNoTokenToWhatIsHeld) {
  to_.rate = 100;
  start();
  degrade();
  want(10);
  pass(4s);
  EXPECT_EQ(tokens(), 0);
  EXPECT_EQ(word().what, mode::hold);
}

TEST_F(BreakerLimits, GivesTheTokensThatWereAskedForBeforeAPauseAfterIt) {
  to_.rate = 100;
  start();
  want(1);
  ASSERT_EQ(tokens(), 1);
  want(1); // none left
  rest(500ms);
  pass(499ms);
  EXPECT_EQ(tokens(), 1);
  pass(100ms);
  EXPECT_EQ(word().what, mode::open);
  want(1); // the driver asks again at each word
  EXPECT_EQ(tokens(), 2);
}

TEST_F(BreakerLimits, TakesANewRateAndTheEndOfOne) {
  start();
  to_.rate = 10;
  change();
  EXPECT_TRUE(word().metered);
  to_.rate.reset();
  change();
  EXPECT_FALSE(word().metered);
}

TEST_F(BreakerLimits, LetsWhatWasHeldOutInARampThatDoubles) {
  start(on_record(degraded, 0ms));
  clock();
  trial_ends(health_effect::clears);
  std::vector<int> each;
  for (int second = 0; second < 4; ++second) {
    auto before = tokens();
    const auto start_of_it = before;
    want(10'000);
    for (int i = 0; i < 1'000; ++i) {
      pass(1ms);
      if (tokens() != before) {
        before = tokens();
        want(10'000);
      }
    }
    each.push_back(tokens() - start_of_it);
  }
  EXPECT_NEAR(each[0], 10, 2);
  EXPECT_NEAR(each[1], 20, 4);
  EXPECT_NEAR(each[2], 40, 6);
  EXPECT_NEAR(each[3], 80, 10);
}

// -- the policy --------------------------------------------------------------

TEST_F(BreakerLimits, JudgesByANewDefaultPolicyFromThenOn) {
  start();
  fail(2);
  auto strict = *find_health_policy("default");
  strict.degraded_after = 3;
  apply(strict);
  EXPECT_EQ(word().what, mode::open);
  fail();
  EXPECT_EQ(word().what, mode::hold);
}

TEST_F(BreakerLimits, JudgesByTheNamedPolicyOfItsEndpoint) {
  to_.health_policy = "shop";
  start();
  auto strict = *find_health_policy("default");
  strict.degraded_after = 1;
  apply(strict);
  fail(4);
  EXPECT_EQ(word().what, mode::open);
  fail();
  EXPECT_EQ(move().trial_in, 5min);
  EXPECT_EQ(move().held_max, 10'000);
  EXPECT_FALSE(move().shedding);
  report({health_effect::gone});
  EXPECT_TRUE(move().shedding);
}

// -- when the driver is told -------------------------------------------------

TEST_F(BreakerLimits, ListensWhileThereIsSomethingToForget) {
  start();
  EXPECT_FALSE(word().listen);
  fail();
  EXPECT_TRUE(word().listen);
  EXPECT_TRUE(word().keep);
  succeed();
  EXPECT_FALSE(word().listen);
  EXPECT_FALSE(word().keep);
}

TEST_F(BreakerLimits, SaysNothingWhenNothingHasChanged) {
  start();
  succeed();
  change();
  clock(true);
  clock(false);
  all_is_read();
  apply(*find_health_policy("default"));
  skip(100s);
  EXPECT_EQ(words(), 1u);
  EXPECT_TRUE(world_.moves.empty());
}

// The driver begins nothing more until it has heard what follows.
TEST_F(BreakerLimits, AnswersEachBadSign) {
  start();
  for (std::size_t i = 2; i < 9; ++i) {
    fail();
    EXPECT_GE(words(), i);
  }
  EXPECT_EQ(word().what, mode::hold);
}

TEST_F(BreakerLimits, SaysOnceThatItHolds) {
  start(on_record(degraded));
  const auto before = words();
  succeed();
  change();
  clock();
  EXPECT_EQ(words(), before);
}

} // namespace
} // namespace postrider
