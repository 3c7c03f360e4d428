#include "tests/actors/node_fixture.hpp"

namespace postrider {
namespace {

using namespace std::chrono_literals;
using namespace testing;

class NodeLeaving : public node_fixture {};

// -- stopping ----------------------------------------------------------------

TEST_F(NodeLeaving, DrainsAndLeavesOnStop) {
  start_attempt(0);
  tell(stopper_, atom::stop_v);
  EXPECT_TRUE(read().empty());
  EXPECT_TRUE(stopped_.empty());
  EXPECT_EQ(world_.released, 3);
  finish_attempt(0);
  EXPECT_EQ(stopped_, (std::vector{true}));
  EXPECT_EQ(world_.left, 1);
  pass(10s);
  EXPECT_TRUE(world_.held.empty());
}

// The others count it no more, and take what it gives back.
TEST_F(NodeLeaving, TellsAtOnceThatItLeaves) {
  start_attempt(0);
  tell(stopper_, atom::stop_v);
  EXPECT_EQ(world_.told.back(), store::standing::leaving);
  pass(6s);
  EXPECT_EQ(world_.told.back(), store::standing::leaving);
  EXPECT_TRUE(world_.held.contains(0)) << "renewed until it has ended";
}

TEST_F(NodeLeaving, GivesBackTogetherWhatIsDrainedWhileTheStoreIsBusy) {
  start_attempt(0);
  world_.hold = true;
  tell(stopper_, atom::stop_v);
  EXPECT_EQ(world_.releases, 1);
  EXPECT_EQ(world_.released, 1);
  tell(store_, atom::free_v);
  EXPECT_EQ(world_.releases, 2);
  EXPECT_EQ(world_.released, 3);
}

TEST_F(NodeLeaving, LeavesWhenTheTimeOfAStopIsOver) {
  start_attempt(0);
  tell(stopper_, atom::stop_v);
  pass(19s);
  EXPECT_TRUE(stopped_.empty());
  pass(1'100ms);
  EXPECT_EQ(stopped_, (std::vector{false}));
  EXPECT_EQ(world_.left, 1);
}

// G6: it has not heard of its leases yet when it is to stop.
TEST_F(NodeLeaving, EndsFirstWhatThoseBeforeItLeftInFlight) {
  start_attempt(0);
  kill(node_);
  world_.hold = true;
  node_ = spawn_node();
  settle();
  tell(keep(system.spawn(stopper, node_, &stopped_)), atom::stop_v);
  EXPECT_EQ(world_.left, 0);
  world_.hold = false;
  tell(store_, atom::free_v);
  EXPECT_EQ(world_.left, 0);
  finish_attempt(0);
  EXPECT_EQ(record_.settled.size(), 1u);
  EXPECT_EQ(stopped_, (std::vector{true}));
  EXPECT_EQ(world_.left, 1);
}

TEST_F(NodeLeaving, DoesNotWaitForADatabaseWithNothingInFlight) {
  kill(node_);
  world_.away = true;
  node_ = spawn_node();
  settle();
  tell(keep(system.spawn(stopper, node_, &stopped_)), atom::stop_v);
  pass(1s);
  EXPECT_EQ(stopped_.size(), 1u);
}

TEST_F(NodeLeaving, StopsWithoutADatabase) {
  world_.away = true;
  tell(stopper_, atom::stop_v);
  pass(21s);
  EXPECT_EQ(stopped_.size(), 1u);
}

} // namespace
} // namespace postrider
