#include "store/leases.hpp"
#include "tests/store/backlog.hpp"

#include <algorithm>
#include <array>
#include <gtest/gtest.h>
#include <set>

using namespace postrider;
using namespace std::chrono_literals;
using postrider::testing::backlog;
using postrider::testing::eventually;
using postrider::testing::node_of;
using postrider::testing::sql;
using store::lease;
using store::leases;

namespace {

class Leases : public ::testing::Test, protected backlog {
protected:
  /// Ends the leases of one node, as time would.
  void expire(std::uint8_t node) {
    db(fmt::format("update postrider.partition set expires_at = now() - "
                   "interval '1 s' where owner = '{}'",
                   to_string(node_of(node))));
  }
  leases one{url, node_of(1), "one", 1min};
  leases two{url, node_of(2), "two", 1min};
};

using held = std::vector<lease>;

} // namespace

TEST_F(Leases, CountsNodesAndFreePartitions) {
  auto first = one.beat();
  EXPECT_EQ(first.live_nodes, 1);
  EXPECT_EQ(first.partitions, 256);
  EXPECT_EQ(first.free, 256);
  EXPECT_TRUE(first.held.empty());
  EXPECT_EQ(one.acquire(10).size(), 10u);
  const auto second = two.beat();
  EXPECT_EQ(second.live_nodes, 2);
  EXPECT_EQ(second.free, 246);
  EXPECT_EQ(one.beat().held.size(), 10u);
}

// TIME-03: the database's clock is this machine's here.
TEST_F(Leases, ComparesTheNodesClockWithTheDatabases) {
  EXPECT_LT(std::chrono::abs(one.beat().clock_ahead), 1s);
  db("create schema skewed");
  db("create function skewed.clock_timestamp() returns timestamptz language "
     "sql as $$select pg_catalog.clock_timestamp() - interval '75 s'$$");
  db("do $$begin execute format('alter database %I set search_path = "
     "skewed, pg_catalog', current_database()); end$$");
  leases fresh{url, node_of(3), "three", 1min};
  const auto ahead = fresh.beat().clock_ahead;
  EXPECT_GT(ahead, 74s);
  EXPECT_LT(ahead, 76s);
}

TEST_F(Leases, ForgetsANodeThatIsSilentForALeaseTime) {
  one.beat();
  two.beat();
  db("update postrider.node set heartbeat_at = now() - interval '61 s' "
     "where name = 'two'");
  EXPECT_EQ(one.beat().live_nodes, 1);
}

// What stops, stands still, is drained or only takes events has no share.
TEST_F(Leases, CountsOnlyNodesThatTakeLeases) {
  leases front{url, node_of(3), "front", 1min, "", "api"};
  front.beat();
  two.beat();
  EXPECT_EQ(one.beat().live_nodes, 2);
  two.beat(store::standing::leaving);
  EXPECT_EQ(one.beat().live_nodes, 1);
  two.beat();
  EXPECT_EQ(one.beat().live_nodes, 2);
  two.beat(store::standing::stalled);
  EXPECT_EQ(one.beat().live_nodes, 1);
  two.beat();
  db("update postrider.node set drain = true where name = 'two'");
  EXPECT_EQ(one.beat().live_nodes, 1);
  EXPECT_TRUE(two.beat().drain);
  EXPECT_FALSE(one.beat().drain);
}

TEST_F(Leases, TellEachNodeItsPlaceAmongTheOthers) {
  one.beat();
  EXPECT_EQ(two.beat().rank, 1);
  EXPECT_EQ(one.beat().rank, 0);
  one.beat(store::standing::leaving);
  EXPECT_EQ(two.beat().rank, 0);
}

// LEASE-08: what stands still loses its leases although its heart beats.
TEST_F(Leases, AreNotRenewedForANodeThatStandsStill) {
  one.beat();
  one.acquire(3);
  db("update postrider.partition set expires_at = now() + interval '1 s' "
     "where owner is not null");
  one.beat(store::standing::stalled);
  EXPECT_EQ(
      db.one("select count(*) from postrider.partition where expires_at > "
             "now() + interval '2 s'"),
      "0");
  EXPECT_EQ(one.beat().held.size(), 3u) << "renewed when it moves again";
  EXPECT_NE(
      db.one("select count(*) from postrider.partition where expires_at > "
             "now() + interval '2 s'"),
      "0");
}

TEST_F(Leases, GivesNoPartitionToTwoOfManyAtOnce) {
  std::vector<std::thread> nodes;
  std::array<held, 8> got;
  for (std::uint8_t i = 0; i < 8; ++i)
    nodes.emplace_back([&, i] {
      leases mine{url, node_of(static_cast<std::uint8_t>(10 + i)), "n", 1min};
      for (int round = 0; round < 256; ++round) {
        const auto more = mine.acquire(5);
        if (more.empty())
          return;
        got[i].insert(got[i].end(), more.begin(), more.end());
      }
    });
  for (auto& node : nodes)
    node.join();
  std::set<std::uint16_t> all;
  std::size_t count = 0;
  for (const auto& some : got)
    for (const auto& each : some) {
      all.insert(each.partition);
      ++count;
      EXPECT_EQ(each.epoch, 1);
    }
  EXPECT_EQ(all.size(), count);
  // What another locked at that moment is passed over; nothing is taken twice.
  EXPECT_EQ(std::to_string(count),
            db.one("select count(*) from postrider.partition "
                   "where owner is not null"));
}

TEST_F(Leases, PassesAnExpiredLeaseOnUnderAHigherEpoch) {
  const auto mine = one.acquire(3);
  EXPECT_EQ(two.acquire(256).size(), 253u);
  EXPECT_TRUE(two.acquire(1).empty());
  expire(1);
  auto theirs = two.acquire(256);
  ASSERT_EQ(theirs.size(), 3u);
  for (const auto& each : theirs)
    EXPECT_EQ(each.epoch, 2);
}

TEST_F(Leases, RevivesItsOwnExpiredLeaseThatNobodyTook) {
  const auto mine = one.acquire(2);
  expire(1);
  EXPECT_TRUE(one.acquire(256).size() == 254u);
  auto renewed = one.beat().held;
  EXPECT_EQ(renewed.size(), 256u);
  EXPECT_NE(std::ranges::find(renewed, mine[0]), renewed.end());
  EXPECT_TRUE(two.acquire(1).empty());
}

TEST_F(Leases, DoesNotTakeBackWhatAnotherHasTaken) {
  one.acquire(2);
  expire(1);
  ASSERT_EQ(two.acquire(256).size(), 256u);
  EXPECT_TRUE(one.beat().held.empty());
  EXPECT_EQ(two.beat().held.size(), 256u);
  EXPECT_EQ(db.one("select count(*) from postrider.partition where owner = '"
                   + to_string(node_of(2)) + "'"),
            "256");
}

// A beat that waits while another takes the lease finds it gone.
TEST_F(Leases, RenewsNothingThatWasTakenWhileItWaited) {
  one.acquire(1);
  sql taker{url};
  taker("begin");
  taker(fmt::format("update postrider.partition set owner = '{}', epoch = 2 "
                    "where id = 0",
                    to_string(node_of(2))));
  held kept{{9, 9}};
  std::thread beating{[&] { kept = one.beat().held; }};
  EXPECT_TRUE(eventually([&] {
    return db.one("select count(*) from pg_stat_activity "
                  "where datname = current_database() "
                  "and wait_event_type = 'Lock'")
           == "1";
  }));
  taker("commit");
  beating.join();
  EXPECT_TRUE(kept.empty());
}

TEST_F(Leases, GivesBackAtOnce) {
  const auto mine = one.acquire(256);
  ASSERT_EQ(mine.size(), 256u);
  one.release(std::span{mine}.first(4));
  EXPECT_EQ(one.beat().held.size(), 252u);
  const auto taken = two.acquire(256);
  ASSERT_EQ(taken.size(), 4u);
  EXPECT_EQ(taken[0].epoch, 2);
}

TEST_F(Leases, GivesBackNothingOfALaterEpoch) {
  const auto mine = one.acquire(1);
  expire(1);
  ASSERT_EQ(two.acquire(256).size(), 256u);
  one.release(mine);
  const held stale{{mine[0].partition, 1}};
  two.release(stale);
  EXPECT_EQ(two.beat().held.size(), 256u);
}

TEST_F(Leases, LeavesWithAllItHolds) {
  one.beat();
  one.acquire(7);
  one.leave();
  const auto seen = two.beat();
  EXPECT_EQ(seen.live_nodes, 1);
  EXPECT_EQ(seen.free, 256);
}

TEST_F(Leases, SweepsDeadNodes) {
  one.beat();
  two.beat();
  two.acquire(5);
  EXPECT_EQ(one.sweep(), 0);
  expire(2);
  db("update postrider.node set heartbeat_at = now() - interval '601 s' "
     "where name = 'two'");
  EXPECT_EQ(one.sweep(), 5);
  EXPECT_EQ(count("node"), "1");
}

// LEASE-03
TEST_F(Leases, LastAsLongAsWasAskedByTheDatabasesClock) {
  one.acquire(1);
  EXPECT_EQ(db.one("select count(*) from postrider.partition where "
                   "expires_at between now() + interval '50 s' "
                   "and now() + interval '60 s'"),
            "1");
}

// -- who crashes its holder --------------------------------------------------

TEST_F(Leases, CountTakeoversFromThoseThatHadNotGivenBack) {
  one.acquire(1);
  EXPECT_EQ(one.beat().held.front().crashes, 0);
  expire(1);
  EXPECT_EQ(two.acquire(1).front().crashes, 1);
  EXPECT_EQ(two.beat().held.front().crashes, 1);
  expire(2);
  EXPECT_EQ(one.acquire(1).front().crashes, 2);
  const auto given = one.beat().held;
  one.release(given);
  EXPECT_EQ(two.acquire(1).front().crashes, 2); // no crash, and no calm either
}

TEST_F(Leases, ForgetCrashesWhenAHolderLivesLongEnough) {
  one.acquire(1);
  expire(1);
  two.acquire(1);
  db("update postrider.partition set taken_at = now() - interval '61 s'");
  EXPECT_EQ(two.beat().held.front().crashes, 0);
  expire(2);
  EXPECT_EQ(one.acquire(1).front().crashes, 1);
}

TEST_F(Leases, NameTheDeliveryThatThreeHoldersInARowWereHandling) {
  for (int i = 0; i < 3; ++i) {
    auto& holder = i % 2 == 0 ? one : two;
    const auto got = holder.acquire(1);
    ASSERT_EQ(got.size(), 1u);
    EXPECT_EQ(got.front().culprit, 0) << i;
    EXPECT_TRUE(holder.mark(got.front(), 42));
    expire(static_cast<std::uint8_t>(1 + i % 2));
  }
  const auto last = two.acquire(1);
  EXPECT_EQ(last.front().culprit, 42);
  EXPECT_EQ(two.beat().held.front().culprit, 42);
  // It was not handling anything.
  expire(2);
  EXPECT_EQ(one.acquire(1).front().culprit, 42);
}

TEST_F(Leases, BlameNobodyWhoWasNotOnRecord) {
  for (int i = 0; i < 4; ++i) {
    auto& holder = i % 2 == 0 ? one : two;
    const auto got = holder.acquire(1);
    holder.mark(got.front(), 40 + i); // each time another
    holder.mark(got.front(), i % 2 ? 0 : 40 + i);
    expire(static_cast<std::uint8_t>(1 + i % 2));
  }
  EXPECT_EQ(one.acquire(1).front().culprit, 0);
}

TEST_F(Leases, MarkNothingUnderALeaseThatIsLost) {
  const auto got = one.acquire(1);
  expire(1);
  two.acquire(1);
  EXPECT_FALSE(one.mark(got.front(), 42));
  EXPECT_EQ(db.one("select count(handling) from postrider.partition"), "0");
}
