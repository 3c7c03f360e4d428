#include "tests/actors/node_fixture.hpp"

namespace postrider {
namespace {

using namespace std::chrono_literals;
using namespace testing;

class NodeSupervisor : public node_fixture {
protected:
  /// From an outage of both nodes: the other one has not been heard of yet, and
  /// its leases have expired.
  void come_back_before_the_other() {
    world_.live_nodes = 2;
    pass(2'100ms);
    world_.away = true;
    pass(25s);
    world_.away = false;
    world_.live_nodes = 1;
    world_.others.clear();
  }
};

TEST_F(NodeSupervisor, TakesEverythingWhenAlone) {
  EXPECT_EQ(read(), (partitions{0, 1, 2, 3}));
  EXPECT_EQ(counters_->partitions, 4u);
  EXPECT_TRUE(counters_->leased);
}

TEST_F(NodeSupervisor, GivesItsSurplusBackWhenANodeJoins) {
  world_.live_nodes = 2;
  pass(2'100ms);
  EXPECT_EQ(read(), (partitions{0, 1}));
  EXPECT_EQ(world_.released, 2);
  pass(10s);
  EXPECT_EQ(world_.held.size(), 2u);
}

TEST_F(NodeSupervisor, TakesWhatADeadNodeLeavesBehind) {
  world_.live_nodes = 2;
  pass(2'100ms);
  world_.live_nodes = 1;
  world_.others.clear();
  pass(2'100ms);
  EXPECT_EQ(read(), (partitions{0, 1, 2, 3}));
}

TEST_F(NodeSupervisor, FinishesWhatIsInFlightBeforeItGivesBack) {
  start_attempt(2);
  start_attempt(3);
  world_.live_nodes = 2;
  pass(2'100ms);
  // Nothing more is read for them, and they are still this node's.
  EXPECT_EQ(read(), (partitions{0, 1}));
  EXPECT_EQ(world_.released, 0);
  finish_attempt(0);
  EXPECT_FALSE(world_.held.contains(2));
  EXPECT_TRUE(world_.held.contains(3));
  EXPECT_EQ(record_.settled.size(), 1u);
}

TEST_F(NodeSupervisor, EndsTheDriverOfALostLease) {
  start_attempt(2);
  world_.held.erase(2);
  world_.others.insert(2);
  pass(2'100ms);
  EXPECT_EQ(read(), (partitions{0, 1, 3}));
  finish_attempt(0);
  EXPECT_TRUE(record_.settled.empty());
}

// S3.40: under a new epoch everything begins anew.
TEST_F(NodeSupervisor, StartsANewDriverUnderANewEpoch) {
  const auto before = driver(2);
  world_.held[2] = ++world_.epochs;
  pass(2'100ms);
  EXPECT_EQ(read(), (partitions{0, 1, 2, 3}));
  EXPECT_NE(driver(2), before);
}

TEST_F(NodeSupervisor, DoesNotDriveAgainWhatIsBeingReleased) {
  start_attempt(3);
  world_.live_nodes = 2;
  pass(2'100ms);
  world_.hold = true;
  pass(2'000ms);     // this heartbeat still lists 3 …
  finish_attempt(0); // … which is given back meanwhile
  tell(store_, atom::free_v);
  EXPECT_EQ(read(), (partitions{0, 1}));
}

// RELIABILITY A-12: what it has told may have been lost.
TEST_F(NodeSupervisor, SaysAgainWhoDrivesWhat) {
  reader_seen_.owned.clear();
  pass(2s);
  EXPECT_EQ(read(), (partitions{0, 1, 2, 3}));
}

TEST_F(NodeSupervisor, EndsNoDriverForTheWordOfAnother) {
  start_attempt(2);
  tell(node_, atom::drained_v, std::uint16_t{2});
  finish_attempt(0);
  EXPECT_EQ(record_.settled.size(), 1u);
  EXPECT_EQ(read(), (partitions{0, 1, 2, 3}));
}

// DESIGN 4.6: it stops a margin before its lease ends.
TEST_F(NodeSupervisor, LetsItsDriversStopWhenItCannotRenew) {
  world_.away = true;
  pass(15s);
  start_attempt(0);
  EXPECT_EQ(jobs_.size(), 1u);
  pass(2s);
  start_attempt(1);
  EXPECT_EQ(jobs_.size(), 1u);
  world_.away = false;
  pass(2s);
  EXPECT_EQ(jobs_.size(), 2u);
}

// What it took from them they would have written, and is sent again.
TEST_F(NodeSupervisor, LeavesTimeToThoseWhoComeBackFromTheSameOutage) {
  come_back_before_the_other();
  pass(4s);
  EXPECT_EQ(read(), (partitions{0, 1}));
  world_.live_nodes = 2;
  pass(10s);
  EXPECT_EQ(read(), (partitions{0, 1}));
}

TEST_F(NodeSupervisor, LeavesThemTheirTimeAlsoBetweenTwoOutages) {
  come_back_before_the_other();
  pass(2s);
  world_.away = true; // before the other one was back
  pass(6s);
  world_.away = false;
  pass(3s);
  EXPECT_EQ(read(), (partitions{0, 1}));
}

TEST_F(NodeSupervisor, TakesWhatNobodyComesBackForAfterAnOutage) {
  come_back_before_the_other();
  pass(9s);
  EXPECT_EQ(read(), (partitions{0, 1, 2, 3}));
}

TEST_F(NodeSupervisor, StartsAFailedDriverAgainUnderItsLease) {
  const auto before = driver(1);
  kill(before);
  EXPECT_EQ(read(), (partitions{0, 1, 2, 3}));
  EXPECT_NE(driver(1), before);
  EXPECT_EQ(counters_->restarts, 1u);
  start_attempt(1);
  EXPECT_EQ(jobs_.size(), 1u);
}

// G6: neither what is in flight nor an outcome that waits for the database is a
// reason to send again.
TEST_F(NodeSupervisor, LetsADriverGoOnWithWhatAFailedOneHad) {
  record_.away = true;
  start_attempt(1);
  finish_attempt(0);
  kill(driver(1));
  start_attempt(1); // is read again, and not settled yet
  EXPECT_EQ(jobs_.size(), 1u);
  record_.away = false;
}

// Also when it failed while it was to drain.
TEST_F(NodeSupervisor, GivesBackOnlyWhenWhatAFailedDriverHadIsSettled) {
  start_attempt(1);
  const auto failing = driver(1);
  tell(stopper_, atom::stop_v);
  kill(failing);
  EXPECT_EQ(world_.released, 3);
  finish_attempt(0);
  EXPECT_EQ(record_.settled.size(), 1u);
  EXPECT_EQ(stopped_, (std::vector{true}));
}

TEST_F(NodeSupervisor, EndsWhenDriversFailTooOften) {
  const auto one = driver(0);
  for (int i = 0; i < 9; ++i)
    kill(driver(0));
  EXPECT_EQ(counters_->restarts, 9u);
  tell(stopper_, atom::stop_v);
  EXPECT_TRUE(stopped_.empty()); // nobody there any more
}

// -- fair share --------------------------------------------------------------

// What others give back at their next heartbeat is taken within that one.
// Else one node that leaves would take all the others out of service.
TEST_F(NodeSupervisor, StaysReadyWhileOthersAreAboutToGive) {
  world_.live_nodes = 2;
  pass(2'100ms);
  world_.live_nodes = 1; // the other's have not expired yet
  pass(4'000ms);
  EXPECT_EQ(read(), (partitions{0, 1}));
  EXPECT_TRUE(counters_->leased);
}

// LOAD-04: even when it holds none. Of several it is the one that has the
// first.
TEST_F(NodeSupervisor, SamplesForAllWhenItIsAlone) {
  const auto& wanted = counters_->meters.backlog.wanted;
  EXPECT_TRUE(wanted);
  world_.drain = true;
  pass(2'100ms);
  EXPECT_EQ(read(), partitions{});
  EXPECT_TRUE(wanted);
  world_.live_nodes = 2;
  pass(2'100ms);
  EXPECT_FALSE(wanted);
}

TEST_F(NodeSupervisor, LooksMoreOftenWhileOthersAreAboutToGive) {
  world_.live_nodes = 2;
  pass(2'100ms);
  world_.live_nodes = 1; // the other's have not expired yet
  pass(2'000ms);
  const auto before = world_.told.size();
  pass(2'000ms);
  EXPECT_GE(world_.told.size(), before + 7);
  world_.others.clear();
  pass(300ms);
  EXPECT_EQ(read(), (partitions{0, 1, 2, 3}));
  const auto after = world_.told.size();
  pass(2'000ms);
  EXPECT_LE(world_.told.size(), after + 2) << "nothing to wait for";
}

TEST_F(NodeSupervisor, GivesEverythingBackWhileItIsDrained) {
  start_attempt(3);
  world_.drain = true;
  pass(2'000ms);
  EXPECT_TRUE(read().empty());
  EXPECT_EQ(world_.released, 3) << "all but the one with an attempt in flight";
  finish_attempt(0);
  EXPECT_EQ(world_.released, 4);
  world_.others.clear();
  pass(10s);
  EXPECT_TRUE(world_.held.empty()) << "it takes none";
  EXPECT_TRUE(counters_->leased) << "it has all that it should have";
  world_.drain = false;
  pass(2'000ms);
  EXPECT_EQ(read(), (partitions{0, 1, 2, 3}));
}

// -- standing still ----------------------------------------------------------

// LEASE-08: a heartbeat alone is no sign of life.
TEST_F(NodeSupervisor, GivesUpItsLeasesWhileSomethingStandsStill) {
  start_attempt(3);
  stuck_ = "the loop client does not turn";
  pass(2'000ms);
  EXPECT_EQ(world_.released, 3) << "what has nothing in flight, at once";
  EXPECT_TRUE(world_.held.contains(3));
  EXPECT_EQ(world_.told.back(), store::standing::stalled);
  EXPECT_FALSE(counters_->leased);
  world_.others.clear();
  pass(12s);
  EXPECT_EQ(world_.told.back(), store::standing::stalled) << "never renewed";
  EXPECT_EQ(world_.held.size(), 1u) << "and nothing taken";
  stuck_.clear();
  finish_attempt(0);
  pass(4'000ms);
  world_.others.clear();
  pass(4'000ms);
  EXPECT_EQ(read(), (partitions{0, 1, 2, 3}));
  EXPECT_TRUE(counters_->leased);
}

TEST_F(NodeSupervisor, LosesWhatAnotherTookWhileItStoodStill) {
  start_attempt(3);
  stuck_ = "partition has been handling one message for 9 s";
  pass(22s);
  world_.held.erase(3);
  world_.others.insert(3);
  stuck_.clear();
  pass(2'000ms);
  finish_attempt(0);
  EXPECT_TRUE(record_.settled.empty()) << "its outcome counts no more";
}

// -- roles -------------------------------------------------------------------

// `serve --role api`
TEST_F(NodeSupervisor, OfAnApiNodeTellsThatItLivesAndTakesNone) {
  tell(stopper_, atom::stop_v); // the one that takes them
  pass(3s);
  const auto before = world_.told.size();
  auto none = options();
  none.takes_leases = false;
  keep(actors::spawn_node_supervisor(system, none, store_, reader_, health_,
                                     {worker_}));
  pass(10s);
  EXPECT_GT(world_.told.size(), before + 4);
  EXPECT_TRUE(world_.held.empty());
  EXPECT_TRUE(counters_->leased) << "it has all that it should have";
}

} // namespace
} // namespace postrider
