// RELIABILITY A-12: what a driver waits for may have been lost on its way, and
// is asked for again.
#include "tests/actors/partition_fixture.hpp"

namespace postrider {
namespace {

using namespace std::chrono_literals;
using namespace testing;

class PartitionWatch : public testing::partition_fixture {
protected:
  /// What the reader asks for, and its next look a while later.
  id_list disowned(id_list asked) {
    flights_->doubt(7, std::move(asked));
    pass(3s);
    return flights_->disowned();
  }

  void claim_as(health_state state) {
    auto fresh = *endpoint_;
    ++fresh.version;
    fresh.health.of.state = state;
    fresh.health.revision = ++sick_.revision;
    if (holds(state))
      fresh.health.of.trial_at = now() + 1h;
    endpoint_ = std::make_shared<const endpoint>(fresh);
    claim({sample_row(++last_)});
  }

  std::int64_t last_ = 0;
};

TEST_F(PartitionWatch, DisownsWhatHasNeverCome) {
  claim({sample_row(1), sample_row(2)});
  EXPECT_EQ(disowned({1, 2, 3, 4}), (id_list{3, 4}));
  EXPECT_EQ(disowned({1, 2}), id_list{});
}

TEST_F(PartitionWatch, DisownsNothingThatIsStillToBeWritten) {
  record_.away = true;
  claim({sample_row(1)});
  answer(0, answered(200));
  EXPECT_EQ(disowned({1}), id_list{});
  tell(settler_, atom::free_v);
  EXPECT_EQ(disowned({1}), (id_list{1})) << "the word to the reader was lost";
}

TEST_F(PartitionWatch, DisownsNothingThatCannotBeWritten) {
  record_.away = true;
  claim({sample_row(1)});
  answer(0, answered(200));
  record_.box->take(1);
  record_.box->given_up(now());
  EXPECT_EQ(disowned({1}), id_list{});
}

// It was on its way when it was asked for.
TEST_F(PartitionWatch, DisownsNothingThatComesAfterAll) {
  flights_->doubt(7, {1});
  pass(1s);
  record_.away = true;
  claim({sample_row(1)});
  answer(0, answered(200));
  tell(settler_, atom::free_v);
  pass(3s);
  EXPECT_EQ(flights_->disowned(), id_list{});
}

TEST_F(PartitionWatch, TellsTheSettlerOnceMore) {
  store::settlement one;
  one.delivery = 5;
  ASSERT_TRUE(record_.box->put(one)); // who was to be told is not
  pass(2s);
  EXPECT_EQ(settled(), (id_list{5}));
}

// Its timers are due before it has read what came meanwhile.
TEST_F(PartitionWatch, TakesAnAnswerThatCameWhileTheProcessStoodStill) {
  claim({sample_row(1), sample_row(2)});
  advance(60s);
  settle();
  answer(0, answered(200));
  ASSERT_EQ(settled(), (id_list{1}));
  EXPECT_EQ(record_.settled[0].state, delivery_state::succeeded);
  advance(60s);
  settle();
  EXPECT_EQ(settled(), (id_list{1}));
  pass(1s);
  ASSERT_EQ(settled(), (id_list{1, 2}));
  EXPECT_EQ(record_.settled[1].error, attempt_error::internal);
}

TEST_F(PartitionWatch, SetsAGateAgainThatIsNotConfirmed) {
  read_.silent = true;
  claim_as(health_state::degraded);
  ASSERT_EQ(read_.gates.size(), 1u);
  pass(5s);
  ASSERT_GE(read_.gates.size(), 2u);
  EXPECT_EQ(read_.gates[1].how, read_gate::hold);
  // They may be on their way here again.
  EXPECT_TRUE(read_.gates[1].given_back.empty());
  tell(partition_, atom::gate_v, endpoint_->id);
  const auto many = read_.gates.size();
  pass(10s);
  EXPECT_EQ(read_.gates.size(), many);
}

TEST_F(PartitionWatch, AsksForTheWordOfABreakerWhenNothingMoves) {
  claim({sample_row(1)});
  tell(partition_, atom::permit_v, endpoint_->id, actors::permit{});
  claim({sample_row(2, 1, 2)});
  ASSERT_EQ(sent(), (id_list{1}));
  answer(0, answered(200));
  pass(5s);
  EXPECT_EQ(sent(), (id_list{1, 2}));
}

// The word between, by which all of it goes back, was lost.
TEST_F(PartitionWatch, GivesBackWhatWaitsWhenATrialIsWanted) {
  claim({sample_row(1), sample_row(2)});
  ASSERT_EQ(sent(), (id_list{1}));
  actors::permit word;
  word.what = actors::permit::mode::trial;
  tell(partition_, atom::permit_v, endpoint_->id, word);
  ASSERT_EQ(read_.gates.size(), 2u);
  EXPECT_EQ(read_.gates[0].how, read_gate::hold);
  EXPECT_EQ(read_.gates[0].given_back, (id_list{2}));
  EXPECT_EQ(read_.gates[1].how, read_gate::trial);
}

TEST_F(PartitionWatch, LearnsOfAChangeFromWhatItIsGiven) {
  claim_as(health_state::healthy);
  ASSERT_EQ(jobs_.size(), 1u);
  claim_as(health_state::degraded);
  EXPECT_EQ(jobs_.size(), 1u);
  ASSERT_EQ(read_.gates.size(), 1u);
  EXPECT_EQ(read_.gates[0].how, read_gate::hold);
}

// Its breaker learns of it only after the rows have come. (G3)
TEST_F(PartitionWatch, BeginsNothingThatComesWithALateWordOfSickness) {
  claim_as(health_state::healthy);
  answer(0, answered(200));
  claim_as(health_state::degraded);
  pass(3s);
  EXPECT_EQ(sent(), (id_list{1}));
}

TEST_F(PartitionWatch, TakesAReminderToReopenForNothingNewWhileItReads) {
  claim_as(health_state::degraded);
  actors::permit word;
  word.what = actors::permit::mode::open;
  word.reopen = true;
  word.keep = true; // or its guard is soon forgotten
  const auto say = [&] {
    tell(partition_, atom::permit_v, endpoint_->id, word);
  };
  say();
  ASSERT_EQ(read_.gates.size(), 2u);
  EXPECT_EQ(read_.gates[1].how, read_gate::reopen);
  say();
  EXPECT_EQ(read_.gates.size(), 2u);
  // It has come to nothing for long.
  pass(6s);
  say();
  EXPECT_EQ(read_.gates.size(), 3u);
  pass(6s);
  say();
  EXPECT_EQ(read_.gates.size(), 3u) << "not as often each time";
  // All was read, and its breaker has not heard that.
  tell(partition_, atom::own_v, endpoint_->id);
  say();
  EXPECT_EQ(read_.gates.size(), 4u);
}

} // namespace
} // namespace postrider
