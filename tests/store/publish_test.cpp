#include "tests/store/tenancy.hpp"
#include "tests/support/postgres.hpp"

#include <fmt/core.h>
#include <gtest/gtest.h>
#include <thread>

using postrider::testing::add_endpoint;
using postrider::testing::add_tenant;
using postrider::testing::postgres_server;
using postrider::testing::sql;
using postrider::testing::tenancy;

namespace {

class Publish : public ::testing::Test, protected tenancy {
protected:
  Publish() : tenancy{postgres_server::shared().migrated_database()} {}

  std::string deliveries_of(const std::string& type) {
    return db.one(fmt::format(
        "select deliveries from postrider.publish('t', '{}', 'null')", type));
  }
};

} // namespace

// S1.26, S2.3, S2.4, S3.15-S3.17, S4.1-S4.3, S4.7-S4.9
TEST_F(Publish, CommitsTheEventAndADeliveryPerEndpointWithTheProducer) {
  endpoint({"order.created"});
  endpoint({"*"});
  db("create table shop (id int)");
  db("begin; insert into shop values (1)");
  db("select postrider.publish('t', 'order.created', '{}')");
  sql other{url};
  EXPECT_EQ(other.one("select count(*) from postrider.event"), "0");
  db("commit");
  EXPECT_EQ(other.one("select count(*) from postrider.event"), "1");
  EXPECT_EQ(count("delivery"), "2");
  EXPECT_EQ(db.one("select first_delivery = min(d.id) "
                   "and last_delivery = max(d.id) and deliveries = count(*) "
                   "from postrider.event as e "
                   "join postrider.delivery as d on d.event = e.id "
                   "group by e.id, first_delivery, last_delivery, deliveries"),
            "t");
}

TEST_F(Publish, LeavesNothingWhenTheProducerRollsBack) {
  endpoint({"*"});
  db("begin");
  db("select postrider.publish('t', 'a', '{}', key => 'k')");
  db("rollback");
  for (const auto* table : {"event", "delivery", "event_key"})
    EXPECT_EQ(count(table), "0") << table;
}

TEST_F(Publish, GoesWithTheSavepointItWasMadeIn) {
  endpoint({"*"});
  db("begin");
  db("select postrider.publish('t', 'kept', '{}')");
  db("savepoint s");
  db("select postrider.publish('t', 'dropped', '{}', key => 'k')");
  db("rollback to s");
  db("select postrider.publish('t', 'again', '{}', key => 'k')");
  db("commit");
  EXPECT_EQ(db.one("select string_agg(type, ' ' order by type) "
                   "from postrider.event"),
            "again kept");
  EXPECT_EQ(count("delivery"), "2");
}

TEST_F(Publish, RollsTheProducerBackWhenItRefuses) {
  db("create table shop (id int)");
  db("begin; insert into shop values (1)");
  EXPECT_EQ(db.state_of("select postrider.publish('t', 'no good', '{}')"),
            "22023");
  db("commit"); // of a failed transaction: rolls back
  EXPECT_EQ(db.one("select count(*) from shop"), "0");
}

TEST_F(Publish, MatchesWholeGroupsBelowAWildcard) {
  endpoint({"order.*"});
  const std::pair<const char*, const char*> table[] = {
      {"order.created", "1"},  {"order.item.added", "1"}, {"order", "0"},
      {"orders.created", "0"}, {"x.order.created", "0"},  {"Order.a", "0"}};
  for (const auto& [type, receivers] : table)
    EXPECT_EQ(deliveries_of(type), receivers) << type;
}

TEST_F(Publish, DeliversOnceToAnEndpointThatMatchesSeveralWays) {
  endpoint({"*", "a.*", "a.b.*", "a.b.c", "a.b", "c"});
  EXPECT_EQ(deliveries_of("a.b.c"), "1");
  EXPECT_EQ(deliveries_of("a.b"), "1");
  EXPECT_EQ(deliveries_of("z"), "1");
}

TEST_F(Publish, ReachesNeitherDeletedEndpointsNorOtherTenants) {
  const auto gone = endpoint({"*"});
  db("update postrider.endpoint set deleted_at = now() where id = " + gone);
  add_tenant(db, "other");
  add_endpoint(db, "other", {"*"});
  EXPECT_EQ(deliveries_of("a"), "0");
  EXPECT_EQ(count("event"), "1"); // accepted, with no receivers
}

TEST_F(Publish, SendsACommandToExactlyOneReceiver) {
  const auto command = "select postrider.publish('t', 'pay', '{}', "
                       "kind => 'command', key => 'k')";
  EXPECT_EQ(db.state_of(command), "23514");
  EXPECT_NE(db.message().find("0 receivers"), std::string::npos);
  EXPECT_EQ(count("event_key"), "0");
  endpoint({"pay"});
  EXPECT_EQ(db.state_of(command), "");
  endpoint({"*"});
  EXPECT_EQ(db.state_of("select postrider.publish('t', 'pay', '{}', "
                        "kind => 'command')"),
            "23514");
  EXPECT_NE(db.message().find("2 receivers"), std::string::npos);
  EXPECT_EQ(count("event"), "1");
}

TEST_F(Publish, PutsEventsOfOneKeyIntoOneStreamWhereTheEndpointAsksForIt) {
  const auto whole = endpoint({"*"});
  const auto keyed = endpoint({"*"}, "event");
  for (const auto* key : {"'a'", "'b'", "'a'", "null"})
    db(fmt::format("select postrider.publish('t', 'x', '{{}}', "
                   "ordering_key => {})",
                   key));
  const auto streams = [&](const std::string& of) {
    return db.one("select string_agg((dense)::text, ' ' order by id) from "
                  "(select id, case stream when 0 then 0 when "
                  "hashtextextended('a', 0) then 1 else 2 end as dense "
                  "from postrider.delivery where endpoint = "
                  + of + ") as x");
  };
  EXPECT_EQ(streams(whole), "0 0 0 0");
  EXPECT_EQ(streams(keyed), "1 2 1 0");
}

TEST_F(Publish, SetsTheDeadlineFromTheEndpoint) {
  const auto id = endpoint({"*"});
  db("update postrider.endpoint set max_age = '90 min' where id = " + id);
  db("begin; select postrider.publish('t', 'a', '{\"n\": 1}')");
  EXPECT_EQ(db.one("select deadline - now() = '90 min' and size = 8 "
                   "and partition = 7 and state = 'queued' and attempts = 0 "
                   "from postrider.delivery"),
            "t");
  db("rollback");
}

TEST_F(Publish, KeepsEverythingItWasGiven) {
  db("select postrider.publish('t', 'a.b', 'x', key => 'k', "
     "ordering_key => 'o', headers => '{\"X-A\": \"1\", \"b\": \"\"}', "
     "content_type => 'text/plain; charset=utf-8', correlation_id => 'c', "
     "producer => 'p', schema_version => 's', traceparent => "
     "'00-0123456789abcdef0123456789abcdef-0123456789abcdef-01', "
     "occurred_at => '2026-01-02T03:04:05.678Z')");
  EXPECT_EQ(db.one("select row_to_json(e)::jsonb - array['id', 'traceparent', "
                   "'payload', 'occurred_at'] from postrider.event as e"),
            R"({"key": "k", "kind": "event", "type": "a.b", "tenant": "t", )"
            R"("headers": [{"name": "b", "value": ""}, )"
            R"({"name": "X-A", "value": "1"}], "producer": "p", )"
            R"("deliveries": 0, "content_type": "text/plain; charset=utf-8", )"
            R"("ordering_key": "o", "last_delivery": null, )"
            R"("correlation_id": "c", "first_delivery": null, )"
            R"("schema_version": "s"})");
  EXPECT_EQ(db.one("select occurred_at = '2026-01-02T03:04:05.678Z' "
                   "and traceparent like '00-%-01' from postrider.event"),
            "t");
}

TEST_F(Publish, MakesIdsThatCarryTheirTime) {
  db("set timezone = 'America/Lima'");
  EXPECT_EQ(db.one("with p as (select event as e from "
                   "postrider.publish('t', 'a', '{}')) "
                   "select substr(e::text, 15, 1) = '7' "
                   "and e between postrider.uuid_at(now() - interval '1 s') "
                   "and postrider.uuid_at(clock_timestamp() "
                   "+ interval '1 ms') from p"),
            "t");
}

// The reader's hunt for late commits rests on this order.
TEST_F(Publish, HoldsATransactionIdBeforeItDrawsDeliveryIds) {
  endpoint({"*"});
  for (const auto* call :
       {"select postrider.publish('t', 'a', '{}')",
        "select postrider.publish_batch(array['t'], array['a'], "
        "array['{}']::bytea[])"}) {
    sql watcher{url};
    const auto drawn = "select last_value || ' ' || is_called "
                       "from postrider.delivery_id";
    const auto before = watcher.one(drawn);
    db("begin; lock table postrider.delivery in access exclusive mode");
    std::thread producer{[&] { sql{url}(call); }};
    const auto deadline =
        std::chrono::steady_clock::now() + std::chrono::seconds{20};
    std::string holds_id;
    while (holds_id.empty() && std::chrono::steady_clock::now() < deadline)
      for (const auto& row :
           watcher("select a.backend_xid is not null from pg_stat_activity "
                   "as a join pg_locks as l using (pid) where not l.granted "
                   "and l.relation = 'postrider.delivery'::regclass"))
        holds_id = row[0].as<std::string>();
    EXPECT_EQ(holds_id, "t") << call;
    EXPECT_EQ(watcher.one(drawn), before);
    db("rollback");
    producer.join();
  }
  EXPECT_EQ(count("delivery"), "2");
}
