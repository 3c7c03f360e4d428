#include "core/caution.hpp"
#include "tests/actors/partition_fixture.hpp"

namespace postrider {
namespace {

using namespace std::chrono_literals;
using namespace testing;

/// A partition that was taken from one crashed holder after the other.
class PartitionCareful : public testing::partition_fixture {
protected:
  PartitionCareful() {
    caf::anon_send_exit(partition_, caf::exit_reason::kill);
    settle();
    auto how = options();
    how.lease = {7, 4, careful_after, 0};
    partition_ = keep(actors::spawn_partition(
        system, std::move(how),
        actors::partition_peers{worker_, reader_, supervisor_, health_,
                                leases_}));
    settle();
    renew(1h);
  }
};

// So that who comes after knows which one it was.
TEST_F(PartitionCareful, PutsADeliveryOnRecordBeforeItIsHandled) {
  marked_.ours = true;
  claim({sample_row(1, 1, 1), sample_row(2, 1, 2), sample_row(3, 1, 3)});
  EXPECT_EQ(marked_.marks, (id_list{1}));
  EXPECT_EQ(sent(), (id_list{1}));
  answer(0, answered(200));
  EXPECT_EQ(marked_.marks, (id_list{1, 2}));
  EXPECT_EQ(sent(), (id_list{1, 2}));
}

TEST_F(PartitionCareful, TakesTheRecordBackWhenNothingIsHandled) {
  claim({sample_row(1)});
  answer(0, answered(200));
  EXPECT_EQ(marked_.marks, (id_list{1, 0}));
}

// A receiver that takes its time is no danger.
TEST_F(PartitionCareful, GoesOnWhileAReceiverTakesItsTime) {
  claim({sample_row(1, 1, 1), sample_row(2, 1, 2)});
  ASSERT_EQ(sent(), (id_list{1}));
  pass(longest_mark + 1ms);
  EXPECT_EQ(sent(), (id_list{1, 2}));
  EXPECT_EQ(marked_.marks, (id_list{1, 2}));
  pass(longest_mark + 1ms);
  EXPECT_EQ(marked_.marks, (id_list{1, 2, 0}));
}

TEST_F(PartitionCareful, HandlesNothingWithoutTheLease) {
  marked_.ours = false;
  claim({sample_row(1)});
  EXPECT_TRUE(jobs_.empty());
}

// One at a time in the whole node: else more than one would be on record.
TEST_F(PartitionCareful, WaitsForItsTurnOfTheNode) {
  ASSERT_TRUE(flights_->take_turn(99));
  claim({sample_row(1)});
  pass(100ms);
  EXPECT_TRUE(marked_.marks.empty());
  flights_->give_turn(99);
  pass(10ms);
  EXPECT_EQ(sent(), (id_list{1}));
  EXPECT_FALSE(flights_->take_turn(99));
  answer(0, answered(200));
  EXPECT_TRUE(flights_->take_turn(99));
}

TEST_F(PartitionCareful, IsSoForAWhileOnly) {
  claim({sample_row(1, 1, 1), sample_row(2, 1, 2), sample_row(3, 1, 3)});
  ASSERT_EQ(sent(), (id_list{1}));
  pass(calm_after);
  EXPECT_EQ(marked_.marks.back(), 0);
  claim({sample_row(4, 1, 4), sample_row(5, 1, 5), sample_row(6, 1, 6)});
  const auto marks = marked_.marks.size();
  EXPECT_EQ(sent(), (id_list{1, 2, 3, 4, 5, 6}));
  EXPECT_EQ(marked_.marks.size(), marks);
}

TEST_F(PartitionCareful, KeepsTheOrderOfAStream) {
  claim({sample_row(1), sample_row(2), sample_row(3)});
  for (std::size_t i = 0; i < 3; ++i) {
    ASSERT_EQ(jobs_.size(), i + 1);
    answer(i, answered(200));
  }
  EXPECT_EQ(sent(), (id_list{1, 2, 3}));
}

TEST_F(PartitionCareful, GivesItsTurnBackWhenItEnds) {
  claim({sample_row(1)});
  ASSERT_FALSE(flights_->take_turn(99));
  caf::anon_send_exit(partition_, caf::exit_reason::unhandled_exception);
  settle();
  EXPECT_TRUE(flights_->take_turn(99));
}

} // namespace
} // namespace postrider
