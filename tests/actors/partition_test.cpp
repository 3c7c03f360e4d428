#include "tests/actors/partition_fixture.hpp"

namespace postrider {
namespace {

using namespace std::chrono_literals;
using namespace testing;

class Partition : public testing::partition_fixture {};

TEST_F(Partition, TakesNewOptionsForTheAttemptsThatBeginAfterwards) {
  claim({sample_row(1), sample_row(2)});
  auto fresh = std::make_shared<actors::live_options>();
  fresh->wire.user_agent = "fresh/1";
  tell(partition_, atom::apply_v, actors::live_options_ptr{fresh});
  answer(0, answered(200));
  ASSERT_EQ(jobs_.size(), 2U);
  EXPECT_EQ(jobs_[0].request.headers.text().find("fresh/1"), std::string::npos);
  EXPECT_NE(jobs_[1].request.headers.text().find("fresh/1"), std::string::npos);
}

TEST_F(Partition, GivesItsOwnTimeoutsToAnEndpointThatNamesNone) {
  auto plain = std::make_shared<endpoint>(*endpoint_);
  plain->timeout = 0ms;
  plain->connect_timeout = 0ms;
  endpoint_ = plain;
  claim({sample_row(1), sample_row(2)});
  EXPECT_EQ(jobs_.at(0).request.timeout, 15s);
  EXPECT_EQ(jobs_.at(0).request.connect_timeout, 3s);
  auto fresh = std::make_shared<actors::live_options>();
  fresh->timeout = 7s;
  fresh->connect_timeout = 1s;
  tell(partition_, atom::apply_v, actors::live_options_ptr{fresh});
  answer(0, answered(200));
  EXPECT_EQ(jobs_.at(1).request.timeout, 7s);
  EXPECT_EQ(jobs_.at(1).request.connect_timeout, 1s);
}

// G3
TEST_F(Partition, SendsTheNextOfAStreamOnlyWhenTheOneBeforeHasEnded) {
  claim({sample_row(2), sample_row(1), sample_row(3)});
  EXPECT_EQ(sent(), (id_list{1}));
  answer(0, answered(200));
  EXPECT_EQ(sent(), (id_list{1, 2}));
  answer(1, answered(200));
  EXPECT_EQ(sent(), (id_list{1, 2, 3}));
  EXPECT_EQ(settled(), (id_list{1, 2}));
}

TEST_F(Partition, LetsAFailedHeadLeaveTheLine) {
  claim({sample_row(1), sample_row(2)});
  answer(0, answered(500));
  EXPECT_EQ(sent(), (id_list{1, 2}));
  ASSERT_EQ(record_.settled.size(), 1u);
  EXPECT_EQ(record_.settled[0].state, delivery_state::retrying);
  EXPECT_EQ(record_.settled[0].wait, 5s);
}

TEST_F(Partition, SendsStreamsSideBySide) {
  claim({sample_row(1, 1, 10), sample_row(2, 1, 11), sample_row(3, 1, 10)});
  EXPECT_EQ(sent(), (id_list{1, 2}));
}

TEST_F(Partition, WritesUnderTheLeaseAndTheAttemptsThatWereRead) {
  auto row = sample_row(1);
  row.attempts = 2;
  claim({row});
  pass(40ms);
  answer(0, answered(204));
  const auto& one = record_.settled.at(0);
  EXPECT_EQ(one.partition, 7);
  EXPECT_EQ(one.epoch, 3);
  EXPECT_EQ(one.attempts, 2);
  EXPECT_EQ(one.status, 204);
  EXPECT_EQ(one.duration, 40ms);
  EXPECT_EQ(one.state, delivery_state::succeeded);
  EXPECT_TRUE(one.sent);
}

// S3.57, S3.58: the rules of core decide, with the row's own limit.
TEST_F(Partition, HeedsTheLimitOfAttemptsInTheRow) {
  auto row = sample_row(1);
  row.max_attempts = 1;
  claim({row});
  answer(0, answered(500));
  EXPECT_EQ(record_.settled.at(0).state, delivery_state::failed);
  EXPECT_EQ(record_.settled.at(0).reason, end_reason::exhausted);
}

TEST_F(Partition, TakesARowOnce) {
  claim({sample_row(1)});
  claim({sample_row(1)});
  answer(0, answered(200));
  claim({sample_row(2)});
  EXPECT_EQ(sent(), (id_list{1, 2}));
}

// LEASE-02, DESIGN 4.6
TEST_F(Partition, StartsNothingAfterTheEndOfItsLease) {
  renew(50ms);
  claim({sample_row(1), sample_row(2)});
  pass(51ms);
  answer(0, answered(200));
  EXPECT_EQ(sent(), (id_list{1}));
  EXPECT_EQ(settled(), (id_list{1}));
  renew(50ms);
  EXPECT_EQ(sent(), (id_list{1, 2}));
}

// G7
TEST_F(Partition, SpendsNoAttemptOnADeferralAndKeepsItsPlace) {
  claim({sample_row(1), sample_row(2)});
  answer(0, broken(attempt_error::local_resources));
  pass(99ms); // the first pause of a node that is short of resources
  EXPECT_EQ(sent(), (id_list{1}));
  EXPECT_TRUE(record_.settled.empty());
  pass(2ms);
  EXPECT_EQ(sent(), (id_list{1, 1}));
  EXPECT_EQ(counters_->deferred, 1u);
  answer(1, answered(200));
  EXPECT_EQ(sent(), (id_list{1, 1, 2}));
  EXPECT_EQ(record_.settled.at(0).attempts, 0);
}

TEST_F(Partition, TakesUpADeferredAttemptOnlyUnderAGoodLease) {
  renew(100ms);
  claim({sample_row(1)});
  answer(0, broken(attempt_error::cancelled));
  pass(3s);
  EXPECT_EQ(sent(), (id_list{1}));
  renew(1h);
  pass(1s);
  EXPECT_EQ(sent(), (id_list{1, 1}));
}

TEST_F(Partition, SettlesSilenceOnceAndIgnoresTheLateAnswer) {
  claim({sample_row(1), sample_row(2)});
  pass(24s);
  EXPECT_TRUE(record_.settled.empty());
  pass(3s);
  ASSERT_EQ(settled(), (id_list{1}));
  EXPECT_EQ(record_.settled[0].error, attempt_error::internal);
  EXPECT_EQ(record_.settled[0].state, delivery_state::retrying);
  answer(0, answered(200));
  EXPECT_EQ(settled(), (id_list{1}));
}

// The late answer of one attempt says nothing of the next one.
TEST_F(Partition, DoesNotTakeALateAnswerForThatOfTheNextAttempt) {
  claim({sample_row(1)});
  pass(27s);
  auto again = sample_row(1);
  again.attempts = 1;
  again.due = 5;
  claim({again});
  ASSERT_EQ(sent(), (id_list{1, 1}));
  answer(0, answered(500));
  EXPECT_EQ(settled(), (id_list{1}));
  answer(1, answered(200));
  EXPECT_EQ(settled(), (id_list{1, 1}));
  EXPECT_EQ(record_.settled[1].state, delivery_state::succeeded);
}

TEST_F(Partition, IgnoresASecondAnswer) {
  claim({sample_row(1)});
  answer(0, answered(500));
  answer(0, answered(200));
  EXPECT_EQ(settled(), (id_list{1}));
}

// -- what is not sent --------------------------------------------------------

TEST_F(Partition, CancelsWithoutARequestWhenTheEndpointIsGone) {
  endpoint gone = *endpoint_;
  gone.deleted = true;
  endpoint_ = std::make_shared<const endpoint>(gone);
  claim({sample_row(1), sample_row(2)});
  EXPECT_TRUE(sent().empty());
  ASSERT_EQ(settled(), (id_list{1, 2}));
  for (const auto& one : record_.settled) {
    EXPECT_EQ(one.state, delivery_state::cancelled);
    EXPECT_EQ(one.reason, end_reason::endpoint_deleted);
    EXPECT_FALSE(one.sent);
  }
}

TEST_F(Partition, CancelsWhatWaitsWhenItsEndpointIsDeleted) {
  claim({sample_row(1), sample_row(2)});
  endpoint gone = *endpoint_;
  gone.deleted = true;
  tell(partition_, atom::endpoints_v,
       actors::endpoint_list{std::make_shared<const endpoint>(gone)});
  answer(0, answered(200));
  EXPECT_EQ(sent(), (id_list{1}));
  ASSERT_EQ(settled(), (id_list{1, 2}));
  EXPECT_EQ(record_.settled[1].state, delivery_state::cancelled);
}

// S3.64: checked before each attempt too, however long the row has waited.
TEST_F(Partition, ExpiresWithoutARequestPastTheDeadline) {
  auto late = sample_row(2);
  late.remaining = 100ms;
  claim({sample_row(1), late});
  pass(101ms);
  answer(0, answered(200));
  EXPECT_EQ(sent(), (id_list{1}));
  ASSERT_EQ(record_.settled.size(), 2u);
  EXPECT_EQ(record_.settled[1].state, delivery_state::failed);
  EXPECT_EQ(record_.settled[1].reason, end_reason::expired);
  EXPECT_FALSE(record_.settled[1].sent);
}

// DESIGN 6: so is the number of attempts; a policy may have been shortened.
TEST_F(Partition, ExhaustsWithoutARequestPastTheLastAttempt) {
  auto spent = sample_row(1);
  spent.attempts = 6; // `shop` allows so many
  auto more = spent;
  more.id = 2;
  more.max_attempts = 9; // put back by hand
  claim({spent, more});
  EXPECT_EQ(sent(), (id_list{2}));
  ASSERT_EQ(settled(), (id_list{1}));
  EXPECT_EQ(record_.settled[0].reason, end_reason::exhausted);
  EXPECT_FALSE(record_.settled[0].sent);
}

TEST_F(Partition, FailsWhatCannotBeSent) {
  endpoint odd = *endpoint_;
  odd.target.reset();
  endpoint_ = std::make_shared<const endpoint>(odd);
  claim({sample_row(1)});
  tell(partition_, atom::claimed_v,
       actors::work_list{{sample_row(2), nullptr, sample_endpoint(2), now()}});
  EXPECT_TRUE(sent().empty());
  ASSERT_EQ(settled(), (id_list{1, 2}));
  for (const auto& one : record_.settled)
    EXPECT_EQ(one.reason, end_reason::unusable);
}

TEST_F(Partition, SendsByTheSettingsThatAreInForce) {
  claim({sample_row(1), sample_row(2)});
  endpoint moved = *endpoint_;
  moved.target = std::get<url>(parse_url("http://elsewhere.test/"));
  moved.timeout = 1s;
  tell(partition_, atom::endpoints_v,
       actors::endpoint_list{std::make_shared<const endpoint>(moved)});
  answer(0, answered(200));
  ASSERT_EQ(jobs_.size(), 2u);
  EXPECT_EQ(jobs_[1].request.target.host, "elsewhere.test");
  EXPECT_EQ(jobs_[1].request.timeout, 1s);
}

// -- draining ----------------------------------------------------------------

TEST_F(Partition, FinishesWhatIsInFlightAndReportsOnceAfterTheFlush) {
  record_.away = true;
  claim({sample_row(1), sample_row(2), sample_row(3, 1, 9)});
  tell(partition_, atom::drain_v);
  claim({sample_row(4, 1, 12)});
  answer(0, answered(200));
  answer(1, answered(500));
  EXPECT_EQ(sent(), (id_list{1, 3}));
  EXPECT_TRUE(node_.drained.empty());
  tell(settler_, atom::free_v);
  EXPECT_EQ(settled(), (id_list{1, 3}));
  EXPECT_EQ(node_.drained, (std::vector<std::uint16_t>{7}));
  pass(2s);
  EXPECT_EQ(node_.drained.size(), 1u);
}

// RELIABILITY A-12: what it said may not have been heard.
TEST_F(Partition, DrainsAtOnceWhenIdleAndSaysSoAsOftenAsItIsAsked) {
  tell(partition_, atom::drain_v);
  EXPECT_EQ(node_.drained, (std::vector<std::uint16_t>{7}));
  tell(partition_, atom::drain_v);
  EXPECT_EQ(node_.drained, (std::vector<std::uint16_t>{7, 7}));
}

TEST_F(Partition, GivesADeferredAttemptBackWhenDraining) {
  claim({sample_row(1)});
  answer(0, broken(attempt_error::local_resources));
  tell(partition_, atom::drain_v);
  pass(1'100ms);
  EXPECT_EQ(sent(), (id_list{1}));
  EXPECT_TRUE(record_.settled.empty());
  EXPECT_EQ(node_.drained.size(), 1u);
}

TEST_F(Partition, CountsSilenceWhileDraining) {
  claim({sample_row(1)});
  tell(partition_, atom::drain_v);
  pass(27s);
  EXPECT_EQ(settled(), (id_list{1}));
  EXPECT_EQ(node_.drained.size(), 1u);
}

} // namespace
} // namespace postrider
