#include "tests/actors/partition_guards_fixture.hpp"

namespace postrider {
namespace {

using namespace std::chrono_literals;
using namespace testing;
using enum health_state;

class PartitionGuards : public partition_guards_fixture {};

// -- while it is sick --------------------------------------------------------

TEST_F(PartitionGuards, SendsNothingBeforeTheFirstWordOfItsBreaker) {
  is(degraded, 5s);
  claim({sample_row(1), sample_row(2)});
  EXPECT_TRUE(jobs_.empty());
  // They go back; its breaker has them held where they stand.
  EXPECT_TRUE(record_.settled.empty());
  ASSERT_EQ(read_.gates.size(), 1u);
  EXPECT_EQ(gate(), read_gate::hold);
  EXPECT_EQ(read_.gates[0].given_back, (id_list{1, 2}));
  EXPECT_EQ(sick_.held.size(), 1u);
}

TEST_F(PartitionGuards, HoldsAStragglerWithoutAnAttempt) {
  is(degraded, 5s);
  claim({sample_row(1)});
  auto retry = sample_row(2);
  retry.attempts = 3;
  claim({retry});
  EXPECT_TRUE(jobs_.empty());
  ASSERT_EQ(record_.settled.size(), 1u);
  EXPECT_EQ(last().delivery, 2);
  EXPECT_EQ(last().state, delivery_state::held);
  EXPECT_EQ(last().attempts, 3);
  EXPECT_FALSE(last().sent);
}

TEST_F(PartitionGuards, GivesBackWhatIsHeldAlready) {
  is(degraded, 5s);
  claim({sample_row(1)});
  claim({held_row(2)});
  EXPECT_TRUE(record_.settled.empty());
  EXPECT_EQ(read_.left, (id_list{2}));
}

TEST_F(PartitionGuards, HoldsWhatFailsWhileItsEndpointIsSick) {
  claim_side_by_side(1, 6);
  fail(0, 5);
  ASSERT_EQ(record_.settled.size(), 6u);
  EXPECT_EQ(record_.settled[0].state, delivery_state::retrying);
  EXPECT_EQ(last().state, delivery_state::held);
  EXPECT_TRUE(last().sent) << "an attempt was made, and counts";
}

TEST_F(PartitionGuards, StillDeliversWhatSucceedsWhileItsEndpointIsSick) {
  claim_side_by_side(1, 6);
  fail(0, 4);
  answer(5, answered(200));
  EXPECT_EQ(last().state, delivery_state::succeeded);
  EXPECT_EQ(gate(), read_gate::hold) << "no trial, no return";
}

TEST_F(PartitionGuards, BeginsNothingBetweenABadSignAndTheWord) {
  std::vector<delivery> one_stream;
  for (std::int64_t id = 1; id <= 8; ++id)
    one_stream.push_back(sample_row(id));
  claim(one_stream);
  fail(0, 4);
  EXPECT_EQ(sent(), (id_list{1, 2, 3, 4, 5}));
}

TEST_F(PartitionGuards, GivesBackWhatWaitsWhenItsEndpointDegrades) {
  auto small = std::make_shared<endpoint>(*endpoint_);
  small->max_in_flight = 5;
  endpoint_ = small;
  claim_side_by_side(1, 20);
  ASSERT_EQ(jobs_.size(), 5u);
  fail(0, 4);
  EXPECT_EQ(gate(), read_gate::hold);
  EXPECT_FALSE(read_.gates.back().given_back.empty());
  const auto before = jobs_.size();
  pass(10s);
  EXPECT_EQ(jobs_.size(), before);
}

// -- disabled ----------------------------------------------------------------

TEST_F(PartitionGuards, CancelsWhatIsReadForADisabledEndpoint) {
  is(disabled);
  claim({sample_row(1)});
  claim({sample_row(2)});
  EXPECT_TRUE(jobs_.empty());
  ASSERT_EQ(settled(), (id_list{2}));
  EXPECT_EQ(last().state, delivery_state::cancelled);
  EXPECT_EQ(last().reason, end_reason::endpoint_disabled);
  EXPECT_FALSE(last().sent);
  EXPECT_EQ(sick_.cancelled.size(), 1u);
}

TEST_F(PartitionGuards, LeavesWhatIsInFlightToItsOutcomeWhenItIsDisabled) {
  claim_side_by_side(1, 2);
  is(disabled);
  change();
  ASSERT_EQ(sick_.cancelled.size(), 1u);
  auto running = sick_.cancelled[0].in_flight;
  std::ranges::sort(running);
  EXPECT_EQ(running, (id_list{1, 2}));
  answer(0, answered(500));
  EXPECT_EQ(last().state, delivery_state::cancelled);
  EXPECT_EQ(last().reason, end_reason::endpoint_disabled);
  EXPECT_TRUE(last().sent);
  answer(1, answered(200));
  EXPECT_EQ(last().state, delivery_state::succeeded);
}

// -- deferrals ---------------------------------------------------------------

TEST_F(PartitionGuards, DoesNotTryAgainForASickEndpointWhatWasDeferred) {
  claim_side_by_side(1, 6);
  fail(0, 4);
  answer(5, broken(attempt_error::local_resources));
  pass(3s);
  EXPECT_EQ(jobs_.size(), 6u);
  EXPECT_EQ(last().delivery, 6);
  EXPECT_EQ(last().state, delivery_state::held);
  EXPECT_FALSE(last().sent);
}

TEST_F(PartitionGuards, DoesNotTryAgainForADisabledEndpointWhatWasDeferred) {
  claim_side_by_side(1, 1);
  is(disabled);
  change();
  answer(0, broken(attempt_error::local_resources));
  pass(3s);
  EXPECT_EQ(jobs_.size(), 1u);
  EXPECT_EQ(last().state, delivery_state::cancelled);
  EXPECT_FALSE(last().sent);
}

// -- breakers come and go ----------------------------------------------------

TEST_F(PartitionGuards, StartsABreakerAgainThatFailed) {
  is(degraded, 5s);
  claim({sample_row(1)});
  ASSERT_EQ(sick_.held.size(), 1u);
  kill_breaker();
  EXPECT_EQ(counters_->restarts, 1u);
  EXPECT_EQ(sick_.held.size(), 2u) << "by what is on record";
  pass(5s);
  clock();
  claim({held_row(1, true)});
  EXPECT_EQ(sent(), (id_list{1}));
}

// What its predecessor had not put on record yet is forgotten with it.
TEST_F(PartitionGuards, ReadsAnewWhatItsDeadBreakerHadGivenBack) {
  sick_.away = true;
  claim_side_by_side(1, 5);
  fail(0, 4);
  ASSERT_EQ(gate(), read_gate::hold);
  sick_.away = false;
  kill_breaker();
  EXPECT_EQ(gate(), read_gate::reopen);
  claim_side_by_side(6, 6);
  EXPECT_EQ(sent().back(), 6);
}

TEST_F(PartitionGuards, DropsTheBreakersOfIdleEndpoints) {
  const auto& live = counters_->meters.health.breakers;
  claim({sample_row(1)});
  EXPECT_EQ(live, 1);
  pass(20s);
  answer(0, answered(200));
  pass(29s);
  EXPECT_EQ(live, 1);
  pass(3s);
  EXPECT_EQ(live, 0);
  claim({sample_row(2)});
  EXPECT_EQ(sent(), (id_list{1, 2}));
}

TEST_F(PartitionGuards, KeepsABreakerThatHasSomethingToRemember) {
  claim({sample_row(1)});
  answer(0, answered(500));
  pass(60s);
  EXPECT_EQ(counters_->meters.health.breakers, 1);
}

TEST_F(PartitionGuards, DrainsWithASickEndpoint) {
  claim_side_by_side(1, 6);
  fail(0, 4);
  tell(partition_, atom::drain_v);
  EXPECT_TRUE(node_.drained.empty());
  answer(5, answered(500));
  EXPECT_EQ(last().state, delivery_state::held);
  EXPECT_EQ(node_.drained, (std::vector<std::uint16_t>{7}));
}

// -- others ------------------------------------------------------------------

// S1.9
TEST_F(PartitionGuards, CountsNoSuccessOfAnotherEndpoint) {
  claim_side_by_side(1, 5);
  const auto sick = endpoint_;
  endpoint_ = sample_endpoint(2);
  claim_side_by_side(11, 13);
  fail(0, 3);
  answer(5, answered(200));
  fail(4, 4);
  ASSERT_EQ(sick_.moves.size(), 1u);
  EXPECT_EQ(sick_.moves[0].endpoint, 1);
  EXPECT_EQ(sick_.moves[0].state, degraded);
  claim_side_by_side(14, 14);
  EXPECT_EQ(sent().back(), 14);
}

TEST_F(PartitionGuards, StartsNoMoreThanTheRate) {
  auto slow = std::make_shared<endpoint>(*endpoint_);
  slow->rate = 10;
  slow->max_in_flight = 100;
  endpoint_ = slow;
  claim_side_by_side(1, 50);
  pass(1s);
  EXPECT_LE(jobs_.size(), 12u);
  EXPECT_GE(jobs_.size(), 9u);
  pass(1s);
  EXPECT_LE(jobs_.size(), 22u);
  EXPECT_GE(jobs_.size(), 18u);
}

TEST_F(PartitionGuards, StartsNothingMoreWhileTheReceiverWantsRest) {
  auto retry = answered(503);
  retry.headers.push_back({"retry-after", "30"});
  claim_side_by_side(1, 2);
  answer(0, retry);
  claim_side_by_side(3, 3);
  EXPECT_EQ(gate(), read_gate::park);
  EXPECT_EQ(jobs_.size(), 2u);
  pass(29s);
  EXPECT_EQ(jobs_.size(), 2u);
  pass(2s);
  EXPECT_EQ(gate(), read_gate::reopen);
  claim_side_by_side(3, 3);
  EXPECT_EQ(sent().back(), 3);
}

} // namespace
} // namespace postrider
