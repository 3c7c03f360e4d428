#include "tests/actors/breaker_fixture.hpp"

namespace postrider {
namespace {

using namespace std::chrono_literals;
using enum health_state;

class Breaker : public testing::breaker_fixture {};

// -- the first word ----------------------------------------------------------

TEST_F(Breaker, OpensAtOnceForAnEndpointThatWasNeverSick) {
  start();
  ASSERT_EQ(words(), 1u);
  EXPECT_EQ(word().what, mode::open);
  EXPECT_FALSE(word().reopen);
  EXPECT_FALSE(word().metered);
  EXPECT_FALSE(word().listen);
  EXPECT_FALSE(word().keep);
  EXPECT_TRUE(world_.moves.empty());
}

TEST_F(Breaker, HoldsFromTheStartWhatIsSickOnRecord) {
  for (const auto state : {degraded, suspended}) {
    seen_.words.clear();
    world_.held.clear();
    start(on_record(state));
    EXPECT_EQ(seen_.words.at(0).what, mode::hold);
    EXPECT_EQ(word().what, mode::hold);
    // What was queued when its holder went away is held too.
    ASSERT_EQ(world_.held.size(), 1u);
    EXPECT_EQ(world_.held[0].after, 0);
  }
  EXPECT_TRUE(world_.moves.empty());
}

// The one before it had moved what the driver still believes.
TEST_F(Breaker, LooksUpWhatIsOnRecordWhenTheOneBeforeItFailed) {
  world_.away = true;
  start(on_record(degraded), true);
  EXPECT_EQ(word().what, mode::wait);
  EXPECT_TRUE(world_.held.empty());
  fail();
  clock();
  world_.away = false;
  world_.found = on_record(healthy);
  skip(1s);
  EXPECT_EQ(word().what, mode::open);
  EXPECT_TRUE(world_.held.empty());
  EXPECT_TRUE(world_.moves.empty());
}

TEST_F(Breaker, HoldsAsASuccessorWhatIsSickOnRecord) {
  world_.found = on_record(degraded);
  start(on_record(healthy), true);
  EXPECT_EQ(word().what, mode::hold);
  EXPECT_EQ(world_.held.size(), 1u);
}

TEST_F(Breaker, StopsADisabledEndpointAndCancelsAllButWhatIsInFlight) {
  seen_.running = {4, 9};
  start(on_record(disabled));
  EXPECT_EQ(seen_.words.at(0).what, mode::stop);
  ASSERT_EQ(world_.cancelled.size(), 1u);
  EXPECT_EQ(world_.cancelled[0].in_flight, (actors::id_list{4, 9}));
  EXPECT_TRUE(world_.held.empty());
}

TEST_F(Breaker, HoldsWhatAnOperatorPaused) {
  auto record = on_record(healthy);
  record.paused = true;
  start(record);
  EXPECT_EQ(word().what, mode::hold);
  EXPECT_EQ(world_.held.size(), 1u);
  clock();
  EXPECT_EQ(trials(), 0);
}

TEST_F(Breaker, ReadsAnewWhatIsStillOnItsWayOut) {
  auto record = on_record(healthy);
  record.releasing = true;
  start(record);
  EXPECT_EQ(word().what, mode::open);
  EXPECT_TRUE(word().reopen);
  EXPECT_TRUE(word().metered);
}

TEST_F(Breaker, ParksAnEndpointThatAskedForRestAndReadsAnewAfterwards) {
  auto record = on_record(healthy);
  record.not_before = now() + 20s;
  start(record);
  EXPECT_EQ(word().what, mode::park);
  pass(19'998ms);
  EXPECT_EQ(word().what, mode::park);
  pass(3ms);
  EXPECT_EQ(word().what, mode::open);
  EXPECT_TRUE(word().reopen);
}

// RELIABILITY A-12: its word, or the answer to it, may have been lost.
TEST_F(Breaker, SaysAgainWhatIsToBeReadAnewUntilAllIsRead) {
  auto record = on_record(healthy);
  record.releasing = true;
  start(record);
  const auto said = words();
  pass(6s);
  ASSERT_GT(words(), said);
  EXPECT_TRUE(word().reopen);
  all_is_read();
  const auto read = words();
  pass(20s);
  EXPECT_EQ(words(), read);
}

TEST_F(Breaker, LetsEverythingOfADeletedEndpointComeToItsEnd) {
  to_.deleted = true;
  start(on_record(suspended));
  EXPECT_EQ(word().what, mode::open);
  EXPECT_TRUE(word().reopen);
  EXPECT_FALSE(word().metered);
  EXPECT_TRUE(world_.held.empty());
}

TEST_F(Breaker, LetsWhatIsHeldForAnEndpointEndWhenItIsDeleted) {
  start(on_record(degraded));
  to_.deleted = true;
  change();
  EXPECT_EQ(word().what, mode::open);
  EXPECT_TRUE(word().reopen);
}

// -- into degraded -----------------------------------------------------------

// S1.111, 2.1.4: five in a row.
TEST_F(Breaker, HoldsAtTheFifthFailureInARowAndPutsItOnRecord) {
  start();
  fail(4);
  EXPECT_EQ(word().what, mode::open);
  EXPECT_TRUE(world_.moves.empty());
  fail();
  EXPECT_EQ(word().what, mode::hold);
  ASSERT_EQ(world_.moves.size(), 1u);
  EXPECT_EQ(move().state, degraded);
  EXPECT_EQ(move().cause, health_cause::threshold);
  EXPECT_EQ(move().epoch, 3);
  EXPECT_EQ(move().known, 0);
  EXPECT_EQ(move().rung, 0);
  EXPECT_EQ(move().trial_in, 5s);
  EXPECT_FALSE(move().by_receiver);
  EXPECT_FALSE(move().releasing);
}

TEST_F(Breaker, HoldsBeforeItIsOnRecord) {
  world_.away = true;
  start();
  degrade();
  EXPECT_TRUE(world_.moves.empty());
  EXPECT_EQ(word().what, mode::hold);
  EXPECT_TRUE(world_.held.empty()) << "new ones are queued still";
}

TEST_F(Breaker, HoldsABacklogChunkByChunkUntilNothingIsLeft) {
  world_.chunks = 3;
  start();
  degrade();
  ASSERT_EQ(world_.held.size(), 4u);
  for (std::size_t i = 0; i < 4; ++i)
    EXPECT_EQ(world_.held[i].after, static_cast<std::int64_t>(1'000 * i));
  EXPECT_EQ(world_.held[0].epoch, 3);
}

// Else what is queued by a publish meanwhile would be left standing.
TEST_F(Breaker, HoldsNoBacklogBeforeItIsOnRecord) {
  start();
  world_.away = true;
  degrade();
  change();
  EXPECT_EQ(word().what, mode::hold);
  EXPECT_TRUE(world_.held.empty());
  world_.away = false;
  pass(2s);
  EXPECT_FALSE(world_.held.empty());
}

TEST_F(Breaker, CountsADeliveryOnce) {
  start();
  for (int i = 0; i < 50; ++i)
    report({health_effect::transient, false});
  EXPECT_EQ(word().what, mode::open);
  EXPECT_TRUE(world_.moves.empty());
}

TEST_F(Breaker, StartsToCountAnewAfterASuccess) {
  start();
  fail(4);
  succeed();
  fail(4);
  EXPECT_EQ(word().what, mode::open);
  report({health_effect::transient}, 1); // one that was not told before it
  EXPECT_EQ(word().what, mode::open);
  fail(4);
  EXPECT_EQ(word().what, mode::hold);
}

TEST_F(Breaker, DegradesByTheRatioOfTheLastAttempts) {
  start();
  for (int i = 0; i < 9; ++i) {
    report({health_effect::transient});
    succeed();
  }
  EXPECT_EQ(word().what, mode::open);
  fail(2);
  EXPECT_EQ(word().what, mode::hold);
  EXPECT_EQ(move().cause, health_cause::failure_ratio);
}

TEST_F(Breaker, TakesNoRateLimitAndNoRefusalOfADeliveryForSickness) {
  start();
  for (int i = 0; i < 50; ++i) {
    report({health_effect::rate_limited});
    report({health_effect::none});
  }
  EXPECT_EQ(word().what, mode::open);
  EXPECT_TRUE(world_.moves.empty());
}

// -- into suspended and disabled ---------------------------------------------

TEST_F(Breaker, SuspendsAfterThreeRefusalsOfItsCredentials) {
  start();
  report({health_effect::auth});
  report({health_effect::auth});
  EXPECT_EQ(word().what, mode::open);
  report({health_effect::auth});
  EXPECT_EQ(word().what, mode::hold);
  EXPECT_EQ(move().state, suspended);
  EXPECT_EQ(move().cause, health_cause::auth_streak);
  EXPECT_TRUE(move().in_incident);
}

TEST_F(Breaker, SuspendsAtOnceWhenTheReceiverIsGone) {
  start();
  report({health_effect::gone});
  EXPECT_EQ(move().state, suspended);
  EXPECT_EQ(move().cause, health_cause::gone);
  EXPECT_FALSE(move().by_receiver);
}

TEST_F(Breaker, SaysOnRecordThatTheReceiverAskedForTheEnd) {
  start();
  report({health_effect::gone, true, false, true});
  EXPECT_EQ(move().state, suspended);
  EXPECT_EQ(move().cause, health_cause::asked);
  EXPECT_TRUE(move().by_receiver);
}

TEST_F(Breaker, GivesUpWhatWasSuspendedForTooLongAndCancelsWhatIsOpen) {
  seen_.running = {6};
  world_.chunks = 2;
  auto record = on_record(suspended);
  record.of.suspended_since = now() - 168h + 1s;
  start(record);
  world_.held.clear();
  world_.chunks = 2;
  clock(false);
  EXPECT_EQ(word().what, mode::hold);
  pass(1s);
  clock(false);
  EXPECT_EQ(world_.moves.at(0).state, disabled);
  EXPECT_EQ(world_.moves.at(0).cause, health_cause::max_suspended);
  // Whoever comes next has to go on with the cancelling.
  EXPECT_TRUE(world_.moves.at(0).releasing);
  EXPECT_EQ(word().what, mode::stop);
  ASSERT_EQ(world_.cancelled.size(), 3u);
  EXPECT_EQ(world_.cancelled[2].after, 2'000);
  EXPECT_EQ(world_.cancelled[0].in_flight, (actors::id_list{6}));
  EXPECT_FALSE(move().releasing) << "nothing is left to be cancelled";
}

TEST_F(Breaker, LeavesWhatIsDisabledToTheOperator) {
  start(on_record(disabled));
  const auto before = words();
  succeed();
  trial_ends(health_effect::clears);
  fail(9);
  report({health_effect::gone});
  clock(true);
  clock(false);
  skip(400h);
  clock(true);
  for (auto i = before; i < words(); ++i)
    EXPECT_EQ(seen_.words[i].what, mode::stop);
  EXPECT_TRUE(world_.moves.empty());
  change(on_record(healthy));
  EXPECT_EQ(word().what, mode::open);
}

// Stragglers that are committed after all was cancelled are found by upkeep.
TEST_F(Breaker, CancelsAgainWhenSomethingWasFoundForADisabledEndpoint) {
  start(on_record(disabled));
  ASSERT_EQ(world_.cancelled.size(), 1u);
  auto record = on_record(disabled);
  record.releasing = true;
  change(record);
  EXPECT_EQ(world_.cancelled.size(), 2u);
  ASSERT_EQ(world_.moves.size(), 1u);
  EXPECT_FALSE(move().releasing);
}

} // namespace
} // namespace postrider
