#include "tests/actors/breaker_fixture.hpp"

namespace postrider {
namespace {

using namespace std::chrono_literals;
using enum health_state;

/// Trials, the way back, and what is on record.
class BreakerTrial : public testing::breaker_fixture {};

// -- trials ------------------------------------------------------------------

TEST_F(BreakerTrial, GoesOutOnlyWhenTheClockSaysSoAfterTheCooldown) {
  start(on_record(degraded));
  clock();
  pass(4'999ms);
  clock();
  EXPECT_EQ(trials(), 0);
  pass(1ms);
  EXPECT_EQ(trials(), 0);
  clock();
  EXPECT_EQ(word().what, mode::trial);
}

TEST_F(BreakerTrial, IsOneAtATime) {
  start(on_record(degraded, 0ms));
  clock();
  skip(60s);
  clock();
  clock();
  EXPECT_EQ(begun(), 1u);
  EXPECT_EQ(trials(), 3) << "said again: its driver may not have heard of it";
}

// A trial whose result was lost with its node, or with its worker.
TEST_F(BreakerTrial, IsTriedAgainWhenItsResultNeverCame) {
  start(on_record(degraded, 0ms));
  clock();
  skip(91s);
  clock();
  EXPECT_EQ(begun(), 2u);
  EXPECT_TRUE(world_.moves.empty()) << "it did not count";
}

TEST_F(BreakerTrial, ClimbsByItsResultAndSuspendsAtTheEndOfTheSchedule) {
  start(on_record(degraded, 0ms));
  const std::vector<std::chrono::milliseconds> waits{15s,   1min, 5min,
                                                     20min, 1h,   4h};
  for (const auto wait : waits) {
    clock();
    ASSERT_EQ(word().what, mode::trial);
    trial_ends(health_effect::transient);
    EXPECT_EQ(word().what, mode::hold);
    EXPECT_EQ(move().state, degraded);
    EXPECT_EQ(move().trial_in, wait);
    skip(wait - 1ms);
    clock();
    EXPECT_EQ(word().what, mode::hold) << "before the time";
    pass(1ms);
  }
  EXPECT_EQ(move().rung, 6);
  clock();
  trial_ends(health_effect::transient);
  EXPECT_EQ(move().state, suspended);
  EXPECT_EQ(move().cause, health_cause::schedule_exhausted);
  EXPECT_EQ(move().rung, 7);
  EXPECT_EQ(move().trial_in, 4h);
}

TEST_F(BreakerTrial, FailuresThatAreNoTrialsChangeNothing) {
  start(on_record(degraded));
  fail(20);
  report({health_effect::auth});
  report({health_effect::auth});
  report({health_effect::auth});
  succeed();
  EXPECT_EQ(word().what, mode::hold);
  EXPECT_TRUE(world_.moves.empty());
}

TEST_F(BreakerTrial, OfADegradedEndpointLeadsToHealthyOnceThatIsOnRecord) {
  start(on_record(degraded, 0ms));
  clock();
  world_.away = true;
  trial_ends(health_effect::clears);
  EXPECT_EQ(word().what, mode::hold);
  pass(10s);
  EXPECT_EQ(word().what, mode::hold);
  world_.away = false;
  pass(1s);
  ASSERT_EQ(world_.moves.size(), 1u);
  EXPECT_EQ(move().state, healthy);
  EXPECT_EQ(move().cause, health_cause::trial);
  EXPECT_TRUE(move().releasing);
  EXPECT_FALSE(move().in_incident);
  EXPECT_FALSE(move().trial_in);
  EXPECT_EQ(word().what, mode::open);
  EXPECT_TRUE(word().reopen);
  EXPECT_TRUE(word().metered) << "in a ramp";
}

TEST_F(BreakerTrial, EndsTheReleaseWhenAllIsRead) {
  start(on_record(degraded, 0ms));
  clock();
  trial_ends(health_effect::clears);
  const auto before = world_.moves.size();
  all_is_read();
  ASSERT_EQ(world_.moves.size(), before + 1);
  EXPECT_FALSE(move().releasing);
  EXPECT_EQ(move().state, healthy);
  EXPECT_EQ(word().what, mode::open);
  all_is_read();
  EXPECT_EQ(world_.moves.size(), before + 1);
}

// S1 part 2.1.4: else nothing could ever be tried.
TEST_F(BreakerTrial, OfAnEndpointThatShedsIsTheNextDeliveryThatComes) {
  to_.health_policy = "shop";
  auto sheds = on_record(suspended, 0ms);
  sheds.shedding = true;
  start(sheds);
  clock(false);
  ASSERT_FALSE(world_.moves.empty());
  EXPECT_FALSE(move().shedding) << "what comes next is kept";
  const auto before = world_.moves.size();
  clock(false);
  EXPECT_EQ(world_.moves.size(), before) << "said once";
  clock(true);
  EXPECT_EQ(word().what, mode::trial);
  trial_ends(health_effect::transient);
  EXPECT_TRUE(move().shedding);
}

TEST_F(BreakerTrial, OfASuspendedEndpointLeadsToDegradedOnly) {
  start(on_record(suspended, 0ms));
  clock();
  trial_ends(health_effect::clears);
  EXPECT_EQ(move().state, degraded);
  EXPECT_EQ(move().rung, 0);
  EXPECT_EQ(move().trial_in, 5s);
  EXPECT_TRUE(move().in_incident) << "suspended_since survives";
  EXPECT_EQ(word().what, mode::hold);
}

TEST_F(BreakerTrial, OfASuspendedEndpointThatFailsClimbsAndStays) {
  start(on_record(suspended, 0ms));
  for (int i = 1; i < 12; ++i) {
    clock();
    trial_ends(health_effect::transient);
    EXPECT_EQ(move().state, suspended);
    EXPECT_EQ(move().rung, std::min(i, 7));
    skip(*move().trial_in);
  }
}

// A 400 says nothing of the endpoint.
TEST_F(BreakerTrial, ThatSaysNothingIsNotUsedUp) {
  start(on_record(degraded, 0ms));
  clock();
  trial_ends(health_effect::none);
  EXPECT_EQ(trials(), 2);
  EXPECT_EQ(word().what, mode::trial) << "the next one, at once";
  EXPECT_TRUE(world_.moves.empty());
}

TEST_F(BreakerTrial, ThatFoundNothingIsOver) {
  start(on_record(degraded, 0ms));
  clock();
  all_is_read();
  EXPECT_EQ(word().what, mode::hold);
  clock();
  EXPECT_EQ(word().what, mode::trial);
}

// S1, 2.1.4: idle promotion, but the first failure degrades again.
TEST_F(BreakerTrial, IsNotNeededWhenNothingIsHeldForADegradedEndpoint) {
  start(on_record(degraded, 0ms));
  clock(false);
  EXPECT_EQ(move().state, healthy);
  EXPECT_EQ(move().cause, health_cause::idle);
  EXPECT_EQ(word().what, mode::open);
  fail();
  EXPECT_EQ(move().state, degraded);
}

TEST_F(BreakerTrial, IsNeededForASuspendedEndpointHoweverIdle) {
  start(on_record(suspended, 0ms));
  clock(false);
  EXPECT_EQ(word().what, mode::hold);
  EXPECT_TRUE(world_.moves.empty());
}

TEST_F(BreakerTrial, DoesNotGoOutWhileTheReceiverWantsRest) {
  start(on_record(degraded, 0ms));
  clock();
  report({health_effect::transient, true, true}, 0, 40s);
  EXPECT_EQ(move().pause_for, 40s);
  skip(39s);
  clock();
  EXPECT_EQ(word().what, mode::hold);
  pass(2s);
  clock();
  EXPECT_EQ(word().what, mode::trial);
}

// -- on record ---------------------------------------------------------------

TEST_F(BreakerTrial, AsksTheDatabaseEachSecondWhileItIsAway) {
  world_.away = true;
  start();
  degrade();
  pass(5s);
  EXPECT_TRUE(world_.moves.empty());
  EXPECT_EQ(word().what, mode::hold);
  clock(); // no trial before it is on record
  pass(5s);
  clock();
  EXPECT_EQ(trials(), 0);
  world_.away = false;
  pass(1s);
  ASSERT_EQ(world_.moves.size(), 1u);
  EXPECT_EQ(move().state, degraded);
  EXPECT_EQ(world_.held.size(), 1u);
}

TEST_F(BreakerTrial, WritesOnlyTheLastOfSeveralChangesThatWaited) {
  world_.away = true;
  start();
  degrade();
  report({health_effect::gone});
  world_.away = false;
  pass(1s);
  ASSERT_EQ(world_.moves.size(), 1u);
  EXPECT_EQ(move().state, suspended);
}

TEST_F(BreakerTrial, BuildsEachMoveOnTheRevisionThatItKnows) {
  start(on_record(degraded, 0ms));
  clock();
  trial_ends(health_effect::transient);
  EXPECT_EQ(move().known, 50);
  const auto first = world_.revision;
  pass(15s);
  clock();
  trial_ends(health_effect::transient);
  EXPECT_EQ(move().known, first);
}

// DESIGN 6: automation never undoes an operator's decision.
TEST_F(BreakerTrial, TakesWhatIsOnRecordWhenItsOwnMoveIsRefused) {
  start(on_record(degraded, 0ms));
  clock();
  auto killed = on_record(disabled);
  killed.revision = 90;
  world_.changed = killed;
  trial_ends(health_effect::clears);
  EXPECT_TRUE(world_.moves.empty());
  EXPECT_EQ(word().what, mode::stop);
  pass(10s);
  clock();
  EXPECT_TRUE(world_.moves.empty()) << "nor later";
}

TEST_F(BreakerTrial, KeepsAPauseThatCameWhileItsMoveWasOnTheWay) {
  start(on_record(degraded, 0ms));
  clock();
  auto paused = on_record(degraded, 0ms);
  paused.revision = 90;
  paused.paused = true;
  world_.changed = paused;
  trial_ends(health_effect::clears);
  EXPECT_EQ(word().what, mode::hold);
  clock();
  EXPECT_EQ(word().what, mode::hold);
}

TEST_F(BreakerTrial, FollowsAnOperatorWhoEnablesAndPausesAndResumes) {
  start(on_record(suspended));
  auto record = on_record(healthy);
  record.releasing = true;
  change(record);
  EXPECT_EQ(word().what, mode::open);
  EXPECT_TRUE(word().reopen);
  record.paused = true;
  change(record);
  EXPECT_EQ(word().what, mode::hold);
  record.paused = false;
  change(record);
  EXPECT_EQ(word().what, mode::open);
  EXPECT_TRUE(word().reopen);
  EXPECT_TRUE(world_.moves.empty());
}

TEST_F(BreakerTrial, PaysNoHeedToARecordThatItKnowsAlready) {
  start(on_record(degraded, 0ms));
  clock();
  trial_ends(health_effect::clears);
  ASSERT_EQ(word().what, mode::open);
  change(); // still with the record of the start
  EXPECT_EQ(word().what, mode::open);
}

// The reader's news of a move can overtake the store's answer to it.
TEST_F(BreakerTrial, LosesNoChangeWhenItsOwnMoveIsReadBackMeanwhile) {
  world_.away = true;
  start();
  degrade();
  report({health_effect::gone}); // while the first is on its way
  auto first = on_record(degraded);
  change(first);
  world_.away = false;
  pass(1s);
  EXPECT_EQ(move().state, suspended);
  EXPECT_EQ(word().what, mode::hold);
}

} // namespace
} // namespace postrider
