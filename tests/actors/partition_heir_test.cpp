#include "tests/actors/partition_fixture.hpp"

namespace postrider {
namespace {

using namespace std::chrono_literals;
using namespace testing;

/// A driver that fails, and its successor under the same lease or another.
class PartitionHeir : public testing::partition_fixture {
protected:
  actors::partition_actor spawn(store::lease under = {7, 3}) {
    auto how = options();
    how.lease = under;
    auto out = keep(actors::spawn_partition(
        system, std::move(how),
        actors::partition_peers{worker_, reader_, supervisor_, health_,
                                leases_}));
    settle();
    return out;
  }

  /// As an exception in a handler does.
  void fail(caf::exit_reason why = caf::exit_reason::unhandled_exception) {
    caf::anon_send_exit(partition_, why);
    settle();
  }

  void succeed(store::lease under = {7, 3}) {
    partition_ = spawn(under);
    renew(1h);
  }
};

// G6: a driver that fails is no reason to send again.
TEST_F(PartitionHeir, GoesOnWithWhatIsInFlight) {
  claim({sample_row(1), sample_row(2)});
  ASSERT_EQ(sent(), (id_list{1}));
  fail();
  succeed();
  claim({sample_row(1), sample_row(2)});
  EXPECT_EQ(sent(), (id_list{1})); // its stream waits for it
  answer(0, answered(200));
  EXPECT_EQ(settled(), (id_list{1}));
  EXPECT_EQ(record_.settled[0].state, delivery_state::succeeded);
  EXPECT_EQ(sent(), (id_list{1, 2}));
}

TEST_F(PartitionHeir, FindsTheResultThatCameWhenNobodyWasThere) {
  claim({sample_row(1), sample_row(2, 1, 9)});
  fail();
  answer(0, answered(200));
  EXPECT_TRUE(record_.settled.empty());
  succeed();
  EXPECT_EQ(settled(), (id_list{1}));
  answer(1, answered(500));
  EXPECT_EQ(settled(), (id_list{1, 2}));
  EXPECT_EQ(jobs_.size(), 2u);
}

TEST_F(PartitionHeir, CountsWhatItInheritsAgainstTheLimitOfTheEndpoint) {
  auto limited = *sample_endpoint(1);
  limited.max_in_flight = 2;
  endpoint_ = std::make_shared<const endpoint>(limited);
  claim({sample_row(1, 1, 1), sample_row(2, 1, 2)});
  ASSERT_EQ(jobs_.size(), 2u);
  fail();
  succeed();
  claim({sample_row(3, 1, 3)});
  EXPECT_EQ(jobs_.size(), 2u);
  answer(1, answered(200));
  EXPECT_EQ(sent(), (id_list{1, 2, 3}));
}

// What has been settled and is not written yet is read again meanwhile.
TEST_F(PartitionHeir, LetsWhatIsBeingWrittenBe) {
  record_.away = true;
  claim({sample_row(1)});
  answer(0, answered(200));
  fail();
  succeed();
  claim({sample_row(1), sample_row(2)});
  EXPECT_EQ(sent(), (id_list{1, 2}));
  EXPECT_EQ(read_.left, (id_list{1})); // not in its window for ever
  tell(settler_, atom::free_v);
  claim({sample_row(1)}); // was read before it was written
  EXPECT_EQ(sent(), (id_list{1, 2}));
  EXPECT_EQ(settled(), (id_list{1}));
  // Its retry, say: nothing of before is unwritten now.
  auto again = sample_row(1, 1, 4); // another stream: 2 is in flight
  again.attempts = 1;
  claim({again});
  EXPECT_EQ(sent(), (id_list{1, 2, 1}));
}

// The reader's window does not hold what was in flight before: it may read that
// for the first time when it has ended, and is still to be written.
TEST_F(PartitionHeir, LetsWhatItInheritedBeUntilThatIsWritten) {
  claim({sample_row(1)});
  fail();
  succeed();
  claim({sample_row(2, 1, 9)});
  ASSERT_EQ(sent(), (id_list{1, 2}));
  record_.away = true;
  answer(0, answered(500));
  claim({sample_row(1)});
  EXPECT_EQ(sent(), (id_list{1, 2}));
  tell(settler_, atom::free_v);
  auto again = sample_row(1);
  again.attempts = 1;
  claim({again});
  EXPECT_EQ(sent(), (id_list{1, 2, 1}));
}

// A lease that was lost in between: what was in flight under it is over.
TEST_F(PartitionHeir, HasNothingOfAnotherLease) {
  claim({sample_row(1)});
  fail();
  succeed({7, 4});
  claim({sample_row(1)});
  EXPECT_EQ(sent(), (id_list{1, 1}));
  answer(0, answered(200));
  EXPECT_TRUE(record_.settled.empty());
  answer(1, answered(200));
  ASSERT_EQ(record_.settled.size(), 1u);
  EXPECT_EQ(record_.settled[0].epoch, 4);
}

TEST_F(PartitionHeir, HasNothingOfALeaseThatIsLost) {
  claim({sample_row(1)});
  flights_->abandon({7, 3});
  fail();
  succeed();
  answer(0, answered(200));
  EXPECT_TRUE(record_.settled.empty());
}

// Two drivers of one partition would send twice.
TEST_F(PartitionHeir, WaitsUntilTheOneBeforeHasEnded) {
  claim({sample_row(1)});
  const auto before = partition_;
  succeed();
  claim({sample_row(2, 1, 2)});
  EXPECT_EQ(sent(), (id_list{1}));
  caf::anon_send_exit(before, caf::exit_reason::unhandled_exception);
  settle();
  pass(20ms);
  EXPECT_EQ(sent(), (id_list{1, 2}));
  answer(0, answered(200));
  EXPECT_EQ(settled(), (id_list{1}));
}

TEST_F(PartitionHeir, DrainsWhatItInherits) {
  claim({sample_row(1)});
  fail();
  succeed();
  tell(partition_, atom::drain_v);
  EXPECT_TRUE(node_.drained.empty());
  answer(0, answered(200));
  EXPECT_EQ(settled(), (id_list{1}));
  EXPECT_EQ(node_.drained.size(), 1u);
}

// A-14 in the process: a delivery that ends whoever handles it is failed, and
// the rest goes on.
TEST_F(PartitionHeir, FailsADeliveryThatHasEndedItsDriverThreeTimes) {
  for (int i = 0; i < 3; ++i)
    flights_->leave({7, 3}, {}, 1);
  // `leave` is a driver's; this one still drives.
  claim({sample_row(1), sample_row(2)});
  EXPECT_EQ(sent(), (id_list{2}));
  ASSERT_EQ(record_.settled.size(), 1u);
  EXPECT_EQ(record_.settled[0].delivery, 1);
  EXPECT_EQ(record_.settled[0].state, delivery_state::failed);
  EXPECT_EQ(record_.settled[0].reason, end_reason::crashed);
  EXPECT_FALSE(record_.settled[0].sent);
}

TEST_F(PartitionHeir, FailsTheDeliveryThatHasEndedTooManyHolders) {
  fail();
  succeed({7, 4, 0, 1});
  claim({sample_row(1), sample_row(2)});
  EXPECT_EQ(sent(), (id_list{2}));
  ASSERT_EQ(record_.settled.size(), 1u);
  EXPECT_EQ(record_.settled[0].reason, end_reason::crashed);
}

// Its result may be the deadly one.
TEST_F(PartitionHeir, FailsWhatWasInFlightWhenItsResultHasEndedThreeDrivers) {
  claim({sample_row(1), sample_row(2)});
  fail();
  for (int i = 0; i < 3; ++i)
    flights_->leave({9, 1}, {}, 1);
  succeed();
  answer(0, answered(200));
  ASSERT_EQ(record_.settled.size(), 1u);
  EXPECT_EQ(record_.settled[0].reason, end_reason::crashed);
  EXPECT_TRUE(record_.settled[0].sent);
  claim({sample_row(2)});
  EXPECT_EQ(sent(), (id_list{1, 2}));
}

} // namespace
} // namespace postrider
