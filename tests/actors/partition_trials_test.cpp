#include "tests/actors/partition_guards_fixture.hpp"

namespace postrider {
namespace {

using namespace std::chrono_literals;
using namespace testing;
using enum health_state;

class PartitionTrials : public partition_guards_fixture {
protected:
  /// 1 is in flight for a breaker that has failed, and 2 is its successor's.
  void let_a_trial_wait() {
    is(degraded);
    clock();
    claim({held_row(1, true)});
    kill_breaker();
    clock();
    claim({held_row(2, true)});
  }
};

// -- trials ------------------------------------------------------------------

TEST_F(PartitionTrials, SendsTheTrialAndNothingElse) {
  is(degraded);
  clock();
  EXPECT_EQ(gate(), read_gate::trial);
  claim({held_row(1, true), held_row(2), sample_row(3)});
  EXPECT_EQ(sent(), (id_list{1}));
  EXPECT_EQ(read_.left, (id_list{2}));
  EXPECT_EQ(settled(), (id_list{3}));
  claim({held_row(4, true)});
  EXPECT_EQ(sent(), (id_list{1}));
}

TEST_F(PartitionTrials, HoldsATrialThatFailedAndClimbs) {
  is(degraded);
  clock();
  claim({held_row(1, true)});
  answer(0, answered(503));
  EXPECT_EQ(last().state, delivery_state::held);
  EXPECT_TRUE(last().sent);
  EXPECT_EQ(sick_.moves.back().rung, 1);
  clock();
  EXPECT_EQ(read_.gates.size(), 2u) << "not before its time";
}

// A trial whose attempt could not begin may be wanted again by then.
TEST_F(PartitionTrials, KeepsADeferredTrialThatIsWantedAgain) {
  is(degraded);
  clock();
  claim({held_row(1, true)});
  ASSERT_EQ(sent(), (id_list{1}));
  is(suspended);
  clock();
  answer(0, broken(attempt_error::cancelled));
  EXPECT_TRUE(record_.settled.empty()) << "neither cancelled nor held anew";
  pass(2s);
  EXPECT_EQ(sent(), (id_list{1, 1}));
}

TEST_F(PartitionTrials, BeginsATrialThatWaitedForOneOfABreakerThatFailed) {
  let_a_trial_wait();
  ASSERT_EQ(sent(), (id_list{1}));
  answer(0, answered(503));
  EXPECT_EQ(sent(), (id_list{1, 2}));
}

TEST_F(PartitionTrials, GivesATrialBackThatWaitsAndIsNotWantedAnyMore) {
  let_a_trial_wait();
  is(suspended, 60s);
  change();
  EXPECT_EQ(gate(), read_gate::hold);
  EXPECT_EQ(read_.gates.back().given_back, (id_list{2}));
}

TEST_F(PartitionTrials, ReadsAnewInOrderWhenTheTrialSucceeds) {
  is(degraded);
  clock();
  claim({held_row(1, true)});
  answer(0, answered(200));
  EXPECT_EQ(last().state, delivery_state::succeeded);
  EXPECT_EQ(sick_.moves.back().state, healthy);
  EXPECT_EQ(gate(), read_gate::reopen);
  claim({held_row(2), sample_row(3)});
  pass(1s);
  EXPECT_EQ(sent(), (id_list{1, 2, 3}));
}

// DESIGN 5: the trial is alone, and is not forgotten meanwhile.
TEST_F(PartitionTrials, SendsTheTrialAsSoonAsWhatWasInFlightHasEnded) {
  claim_side_by_side(1, 8);
  fail(0, 4);
  pass(5s);
  clock();
  ASSERT_EQ(gate(), read_gate::trial);
  claim({held_row(1, true)});
  EXPECT_EQ(jobs_.size(), 8u) << "three are out there yet";
  fail(5, 7);
  ASSERT_EQ(jobs_.size(), 9u);
  answer(8, answered(200));
  EXPECT_EQ(sick_.moves.back().state, healthy);
}

TEST_F(PartitionTrials, KeepsATrialThatWasDeferred) {
  is(degraded);
  clock();
  claim({held_row(1, true)});
  answer(0, broken(attempt_error::local_resources));
  EXPECT_TRUE(record_.settled.empty());
  EXPECT_TRUE(sick_.moves.empty()) << "it says nothing of the endpoint";
  pass(1'001ms);
  ASSERT_EQ(sent(), (id_list{1, 1}));
  answer(1, answered(200));
  EXPECT_EQ(sick_.moves.back().state, healthy);
}

TEST_F(PartitionTrials, LooksForAnotherTrialWhenOneEndedWithoutARequest) {
  is(degraded);
  clock();
  auto late = held_row(1, true);
  late.remaining = -1ms;
  claim({late});
  EXPECT_TRUE(jobs_.empty());
  EXPECT_EQ(last().reason, end_reason::expired);
  const auto before = read_.gates.size();
  clock();
  EXPECT_EQ(read_.gates.size(), before + 1);
  EXPECT_EQ(gate(), read_gate::trial);
}

// -- gates -------------------------------------------------------------------

// G3: what was read before the gate was set stands in no certain order.
TEST_F(PartitionTrials, GivesBackWhatWasReadBeforeTheReaderKnewOfTheGate) {
  is(degraded);
  clock();
  claim({held_row(1, true)});
  read_.silent = true;
  answer(0, answered(200));
  ASSERT_EQ(gate(), read_gate::reopen);
  claim({sample_row(9)});
  pass(1s);
  EXPECT_EQ(sent(), (id_list{1}));
  EXPECT_EQ(read_.left, (id_list{9}));
  confirm_gate();
  claim({sample_row(2)});
  pass(1s);
  EXPECT_EQ(sent(), (id_list{1, 2}));
}

TEST_F(PartitionTrials, WaitsForTheReaderToKnowOfItsLastGate) {
  read_.silent = true;
  is(degraded);
  claim({sample_row(1)});
  ASSERT_EQ(read_.gates.size(), 1u);
  is(healthy);
  auto fresh = std::make_shared<endpoint>(*endpoint_);
  fresh->health.releasing = true;
  endpoint_ = fresh;
  change();
  ASSERT_EQ(gate(), read_gate::reopen);
  confirm_gate(); // the first
  claim({sample_row(9)});
  pass(1s);
  EXPECT_TRUE(jobs_.empty());
  confirm_gate();
  claim({sample_row(1)});
  pass(1s);
  EXPECT_EQ(sent(), (id_list{1}));
}

// What is read and not written as held yet would be overtaken (G3).
TEST_F(PartitionTrials, ReopensOnceWhatIsToBeHeldIsWritten) {
  is(degraded);
  clock();
  claim({held_row(1, true)});
  record_.away = true;
  claim({sample_row(2)});
  answer(0, answered(200));
  ASSERT_EQ(sick_.moves.back().state, healthy);
  pass(5s);
  EXPECT_EQ(gate(), read_gate::trial);
  claim({sample_row(9)});
  EXPECT_EQ(read_.left, (id_list{9}));
  tell(settler_, atom::free_v);
  pass(1s);
  EXPECT_EQ(gate(), read_gate::reopen);
  claim_side_by_side(2, 3);
  pass(1s);
  EXPECT_EQ(sent(), (id_list{1, 2, 3}));
}

// It has become sick again meanwhile.
TEST_F(PartitionTrials, SetsTheLastGateOfThoseThatHadToWait) {
  is(degraded);
  clock();
  record_.away = true;
  claim({held_row(1, true), sample_row(2)});
  answer(0, answered(200));
  is(suspended, 1h);
  change();
  EXPECT_EQ(gate(), read_gate::hold);
  const auto gates = read_.gates.size();
  tell(settler_, atom::free_v);
  pass(100ms);
  EXPECT_EQ(read_.gates.size(), gates);
  is(healthy);
  change();
  claim({sample_row(3)});
  pass(100ms);
  EXPECT_EQ(sent(), (id_list{1, 3})) << "the reader knows of each gate";
}

} // namespace
} // namespace postrider
