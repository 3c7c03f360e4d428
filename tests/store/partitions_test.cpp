#include "store/migrator.hpp"
#include "tests/store/sql.hpp"
#include "tests/support/postgres.hpp"

#include <gtest/gtest.h>
#include <thread>
#include <vector>

using namespace postrider;
using postrider::testing::postgres_server;
using postrider::testing::sql;

namespace {

constexpr auto count_days = "select count(*) from pg_inherits "
                            "where inhparent = 'postrider.event'::regclass";

class Partitions : public ::testing::Test {
protected:
  std::string url = postgres_server::shared().migrated_database();
  sql db{url};
};

} // namespace

TEST_F(Partitions, CoverYesterdayToAWeekAheadAfterMigration) {
  EXPECT_EQ(db.one(count_days), "9");
  EXPECT_EQ(db.one("select count(*) from pg_inherits "
                   "where inhparent = 'postrider.attempt'::regclass"),
            "9");
  EXPECT_EQ(db.one("select to_regclass('postrider.event_' || to_char("
                   "now() at time zone 'UTC' + interval '7 days', "
                   "'YYYYMMDD')) is not null"),
            "t");
}

TEST_F(Partitions, AreMadeOnceHoweverManyNodesAskAtOnce) {
  std::vector<std::thread> nodes;
  for (int i = 0; i < 8; ++i)
    nodes.emplace_back(
        [this] { EXPECT_NO_THROW(store::migrator{url}.make_partitions(20)); });
  for (auto& node : nodes)
    node.join();
  EXPECT_EQ(db.one(count_days), "22");
  EXPECT_EQ(db.one("select postrider.make_partitions(20)"), "0");
}

TEST_F(Partitions, HoldTheFirstAndTheLastMillisecondOfTheirDay) {
  db("select postrider.make_partition('event', d) "
     "from unnest(array['2026-11-28', '2026-11-29']::date[]) as d");
  const auto put = [&](const std::string& id) {
    return db.one("insert into postrider.event (id, tenant, kind, type, "
                  "content_type, deliveries, payload) values ('"
                  + id
                  + "', 't', 'event', 'a', 'text/plain', 0, '') "
                    "returning tableoid::regclass::text");
  };
  const auto floor = [&](const std::string& at) {
    return db.one("select postrider.uuid_at('" + at + "')");
  };
  EXPECT_EQ(put(floor("2026-11-29T00:00:00Z")), "postrider.event_20261129");
  auto last = floor("2026-11-28T23:59:59.999Z");
  last.replace(13, 23, "ffff-ffff-ffffffffffff");
  EXPECT_EQ(put(last), "postrider.event_20261128");
}

TEST_F(Partitions, AreUtcDaysWhateverTheSessionsZone) {
  db("set timezone = 'Pacific/Kiritimati'");
  EXPECT_EQ(db.one("select postrider.make_partitions(7)"), "0");
  db("select postrider.make_partition('attempt', '2026-11-28')");
  EXPECT_EQ(db.one("insert into postrider.attempt (at, delivery, endpoint, "
                   "event, duration_ms, partition, number, sent, final, "
                   "outcome, started_at) values ('2026-11-28T00:00:00Z', 1, 1, "
                   "gen_random_uuid(), 1, 1, 0, true, true, 'succeeded', "
                   "now()) returning tableoid::regclass::text"),
            "postrider.attempt_20261128");
}

TEST_F(Partitions, AreMadeByIngestWhenNoEngineWasThereToDoIt) {
  db("insert into postrider.tenant (id) values ('t')");
  for (const auto& row : db("select inhrelid::regclass::text from pg_inherits "
                            "where inhparent = 'postrider.event'::regclass"))
    db("drop table " + row[0].as<std::string>());
  std::vector<std::thread> producers;
  for (int i = 0; i < 8; ++i)
    producers.emplace_back([this] {
      EXPECT_NO_THROW(sql{url}("select postrider.publish('t', 'a.b', '{}')"));
    });
  for (auto& producer : producers)
    producer.join();
  EXPECT_EQ(db.one(count_days), "1");
  EXPECT_EQ(db.one("select count(*) from postrider.event"), "8");
}

TEST_F(Partitions, AreNotVacuumedForInserts) {
  EXPECT_EQ(db.one("select count(*) from pg_class as c "
                   "join pg_inherits as i on i.inhrelid = c.oid "
                   "where i.inhparent in ('postrider.event'::regclass, "
                   "'postrider.attempt'::regclass) and c.reloptions @> "
                   "'{autovacuum_vacuum_insert_threshold=-1}'"),
            "18");
}
