#include "store/backlog.hpp"
#include "store/backlog_statements.hpp"
#include "tests/store/backlog.hpp"

#include <gtest/gtest.h>

namespace postrider::testing {
namespace {

using namespace std::chrono_literals;

struct BacklogSample : ::testing::Test, backlog {
  store::backlog_sample take() { return sampler.take(); }

  /// Moves the events' ids, which tell their time, into the past.
  void age(const std::string& by, const std::string& which) {
    db("update postrider.delivery set event = "
       "(lpad(to_hex((extract(epoch from now() - interval '"
       + by
       + "') * 1000)::bigint), 12, '0') "
         "|| '7000' || right(replace(event::text, '-', ''), 16))::uuid where "
       + which);
  }

  store::backlog sampler{url};
};

TEST_F(BacklogSample, SaysNothingOfAnEmptyTable) {
  const auto got = take();
  EXPECT_EQ(got.queued, 0);
  EXPECT_EQ(got.retrying, 0);
  EXPECT_FALSE(got.oldest_queued);
  EXPECT_FALSE(got.oldest_retrying);
}

TEST_F(BacklogSample, CountsAndFindsTheOldest) {
  endpoint({"*"});
  publish(50);
  age("90 s", "id = (select min(id) + 20 from postrider.delivery)");
  age("10 s", "id <> (select min(id) + 20 from postrider.delivery)");
  db("update postrider.delivery set state = 'retrying', due_at = now() - "
     "interval '30 s' where id = (select min(id) from postrider.delivery)");
  db("update postrider.delivery set state = 'retrying', due_at = now() + "
     "interval '1 h' where id = (select max(id) from postrider.delivery)");
  store::backlog_sample got;
  // The server tells what it counted within a second or so.
  ASSERT_TRUE(eventually([&] {
    got = take();
    return got.queued == 48;
  })) << got.queued;
  EXPECT_EQ(got.retrying, 2);
  ASSERT_TRUE(got.oldest_retrying);
  EXPECT_GE(*got.oldest_retrying, 30s);
  EXPECT_LT(*got.oldest_retrying, 60s);
  // By id: what was accepted first goes out first.
  ASSERT_TRUE(got.oldest_queued);
  EXPECT_GE(*got.oldest_queued, 10s);
  EXPECT_LT(*got.oldest_queued, 40s);
  EXPECT_GE(got.event_days, 1);
  EXPECT_GE(got.attempt_days, 1);
}

TEST_F(BacklogSample, StepsOverRetriesThatStandBeforeTheFirstQueued) {
  endpoint({"*"});
  publish(300);
  db("update postrider.delivery set state = 'retrying', due_at = now() + "
     "interval '1 h' where id < (select max(id) from postrider.delivery)");
  age("70 s", "state = 'queued'");
  const auto got = take();
  ASSERT_TRUE(got.oldest_queued);
  EXPECT_GE(*got.oldest_queued, 70s);
}

TEST_F(BacklogSample, LeavesTheOldestOutWhenItIsNotAskedFor) {
  endpoint({"*"});
  publish(3);
  const auto got = sampler.take(false);
  EXPECT_FALSE(got.oldest_queued);
  EXPECT_GE(got.event_days, 1);
  EXPECT_TRUE(take().oldest_queued);
}

TEST_F(BacklogSample, GoesOnFromWhereTheOldestStoodLast) {
  endpoint({"*"});
  publish(10);
  ASSERT_TRUE(take().oldest_queued);
  db("delete from postrider.delivery");
  EXPECT_FALSE(take().oldest_queued);
  publish(1);
  EXPECT_TRUE(take().oldest_queued);
}

TEST_F(BacklogSample, NeverScansTheTable) {
  endpoint({"*"});
  publish(5);
  db("set enable_seqscan = off");
  db("set plan_cache_mode = force_generic_plan");
  db(fmt::format("prepare s as {}", store::statements::backlog_summary.sql));
  std::string plan;
  for (const auto& row : db("explain execute s(now())"))
    plan += row[0].as<std::string>() + "\n";
  EXPECT_EQ(plan.find("Seq Scan on delivery"), std::string::npos) << plan;
  EXPECT_NE(plan.find("using delivery_due on delivery"), std::string::npos)
      << plan;
}

// PG-15: the product has no slot; somebody else's that is not read fills the
// disk of the database.
TEST_F(BacklogSample, TellsOfTheWalThatReplicationSlotsKeep) {
  db("select pg_create_physical_replication_slot('forgotten_' || oid, true) "
     "from pg_database where datname = current_database()");
  endpoint({"*"});
  publish(100);
  const auto kept = take().retained_wal;
  publish(100);
  const auto more = take().retained_wal;
  db("select pg_drop_replication_slot(slot_name) from pg_replication_slots "
     "where slot_name = 'forgotten_' || (select oid from pg_database where "
     "datname = current_database())");
  EXPECT_GT(kept, 0);
  EXPECT_GT(more, kept);
}

} // namespace
} // namespace postrider::testing
