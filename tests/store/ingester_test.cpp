#include "store/error.hpp"
#include "store/ingester.hpp"
#include "tests/store/tenancy.hpp"
#include "tests/support/postgres.hpp"

#include <gtest/gtest.h>
#include <random>
#include <thread>
#include <vector>

using postrider::event_kind;
using postrider::ingest_result;
using postrider::new_event;
using postrider::store::ingester;
using postrider::testing::add_endpoint;
using postrider::testing::add_tenant;
using postrider::testing::postgres_server;
using postrider::testing::tenancy;
using status = ingest_result::status;

namespace {

class Ingester : public ::testing::Test, protected tenancy {
protected:
  Ingester() : tenancy{postgres_server::shared().migrated_database()} {}

  static new_event make(const std::string& type, const std::string& key = "",
                        const std::string& payload = "{}") {
    new_event out;
    out.tenant = std::string{"t"};
    out.type = type;
    out.key = key;
    out.payload = payload;
    return out;
  }

  ingester in{url};
};

std::vector<status> statuses(const std::vector<ingest_result>& results) {
  std::vector<status> out;
  for (const auto& each : results)
    out.push_back(each.what);
  return out;
}

} // namespace

TEST_F(Ingester, AnswersEachItemAndDisturbsNoNeighbour) {
  endpoint({"order.*"});
  endpoint({"order.created"});
  auto stranger = make("order.created");
  stranger.tenant = "nobody";
  auto command = make("order.created", "c");
  command.kind = event_kind::command;
  auto good_command = make("order.paid");
  good_command.kind = event_kind::command;
  in.ingest(std::vector{make("order.paid", "old")});
  const std::vector batch{make("order.created"),
                          stranger,
                          command,
                          make("order.paid", "old"),
                          make("other", "old"),
                          make("none"),
                          good_command};
  const auto results = in.ingest(batch);
  EXPECT_EQ(
      statuses(results),
      (std::vector{status::accepted, status::unknown_tenant,
                   status::not_one_receiver, status::duplicate,
                   status::key_conflict, status::accepted, status::accepted}));
  EXPECT_EQ(results[0].deliveries, 2);
  EXPECT_EQ(results[2].deliveries, 2); // how many it would have had
  EXPECT_EQ(results[3].deliveries, 1);
  EXPECT_EQ(results[5].deliveries, 0);
  EXPECT_EQ(results[6].deliveries, 1);
  EXPECT_EQ(count("event"), "4");
  EXPECT_EQ(count("delivery"), "4");
  EXPECT_EQ(db.one("select string_agg(key, ' ') from postrider.event_key"),
            "old");
}

// JSON-17
TEST_F(Ingester, TakesASecondOfTheSameKeyInABatchForARepeat) {
  endpoint({"*"});
  const std::vector batch{make("a", "evt_1"), make("a", "evt_2"),
                          make("a", "evt_1"), make("b", "evt_1")};
  const auto results = in.ingest(batch);
  EXPECT_EQ(statuses(results),
            (std::vector{status::accepted, status::accepted, status::duplicate,
                         status::key_conflict}));
  EXPECT_EQ(results[2].id, results[0].id);
  EXPECT_EQ(results[2].deliveries, 1);
  EXPECT_EQ(count("event"), "2");
}

TEST_F(Ingester, LetsALaterItemHaveTheKeyOfARefusedOne) {
  auto refused = make("a", "k");
  refused.kind = event_kind::command;
  const auto results = in.ingest(std::vector{refused, make("b", "k")});
  EXPECT_EQ(statuses(results),
            (std::vector{status::not_one_receiver, status::accepted}));
}

TEST_F(Ingester, ComparesTheFingerprintOfItsCaller) {
  auto one = make("a", "k", "1");
  one.fingerprint = "\x01\xff";
  one.fingerprint.push_back('\0');
  auto other_body = make("b", "k", "2");
  other_body.fingerprint = one.fingerprint;
  auto other_print = one;
  other_print.fingerprint = "x";
  EXPECT_EQ(
      statuses(in.ingest(std::vector{one, other_body, other_print})),
      (std::vector{status::accepted, status::duplicate, status::key_conflict}));
}

TEST_F(Ingester, TakesARepeatOfAnSqlPublishForARepeat) {
  const auto id = db.one("select event from postrider.publish('t', 'a', "
                         "'{\"n\":1}', key => 'k')");
  const auto results = in.ingest(std::vector{make("a", "k", "{\"n\":1}")});
  EXPECT_EQ(results[0].what, status::duplicate);
  EXPECT_EQ(to_string(results[0].id), id);
}

TEST_F(Ingester, KeepsEveryFieldAndEveryByte) {
  endpoint({"*"}, "event");
  auto full = make("a.b", "k");
  full.payload = std::string{"\0\x01\xff{}", 5};
  full.content_type = "application/octet-stream";
  full.headers = {{"X-A", "1"}, {"X-A", "2"}};
  full.ordering_key = "o";
  full.correlation_id = "c";
  full.producer = "p";
  full.schema_version = "s";
  full.traceparent = "00-aa-bb-01";
  full.occurred_at = std::chrono::sys_time<std::chrono::milliseconds>{
      std::chrono::milliseconds{1'767'225'600'123}};
  const auto results = in.ingest(std::vector{full, make("bare")});
  EXPECT_EQ(db.one("select row(tenant, type, kind, key, content_type, headers, "
                   "ordering_key, correlation_id, producer, schema_version, "
                   "traceparent, occurred_at, payload)::text "
                   "= row('t', 'a.b', 'event', 'k', "
                   "'application/octet-stream', "
                   "'[{\"name\": \"X-A\", \"value\": \"1\"}, "
                   "{\"name\": \"X-A\", \"value\": \"2\"}]'::jsonb, "
                   "'o', 'c', 'p', 's', '00-aa-bb-01', "
                   "'2026-01-01T00:00:00.123Z'::timestamptz, "
                   "'\\x0001ff7b7d'::bytea)::text "
                   "from postrider.event where id = '"
                   + to_string(results[0].id) + "'"),
            "t");
  EXPECT_EQ(db.one("select key is null and headers is null and ordering_key "
                   "is null and correlation_id is null and producer is null "
                   "and schema_version is null and traceparent is null and "
                   "occurred_at is null and content_type = 'application/json' "
                   "from postrider.event where id = '"
                   + to_string(results[1].id) + "'"),
            "t");
  EXPECT_EQ(db.one("select stream = hashtextextended('o', 0) "
                   "from postrider.delivery order by id limit 1"),
            "t");
}

TEST_F(Ingester, KeepsTenantsApartInOneBatch) {
  add_tenant(db, "u");
  endpoint({"a"});
  const auto theirs = add_endpoint(db, "u", {"*"});
  auto other = make("a", "k");
  other.tenant = "u";
  const auto results = in.ingest(std::vector{make("a", "k"), other});
  EXPECT_EQ(statuses(results),
            (std::vector{status::accepted, status::accepted}));
  EXPECT_EQ(db.one("select string_agg(e.tenant || d.endpoint, ' ' order by "
                   "d.id) from postrider.delivery as d join postrider.event "
                   "as e on e.id = d.event where e.tenant = 'u'"),
            fmt::format("u{}", theirs));
}

// PG-12
TEST_F(Ingester, OfManyNodesWithCrossingKeysNeverDeadlocks) {
  endpoint({"*"});
  std::vector<std::thread> nodes;
  std::atomic<int> accepted{0};
  for (int node = 0; node < 6; ++node)
    nodes.emplace_back([&, node] {
      ingester mine{url};
      for (int round = 0; round < 10; ++round) {
        std::vector<new_event> batch;
        for (int i = 0; i < 50; ++i) // each node in another order
          batch.push_back(
              make("a", std::to_string(round * 50 + (i * 7 + node * 13) % 50)));
        EXPECT_NO_THROW(for (const auto& each
                             : mine.ingest(batch)) accepted +=
                        each.what == status::accepted ? 1 : 0);
      }
    });
  for (auto& node : nodes)
    node.join();
  EXPECT_EQ(accepted, 500);
  EXPECT_EQ(count("event"), "500");
  EXPECT_EQ(count("delivery"), "500");
}

TEST_F(Ingester, ConnectsAgainAfterItsConnectionWasEnded) {
  in.ingest(std::vector{make("a")});
  db("select pg_terminate_backend(pid) from pg_stat_activity "
     "where application_name = 'postrider ingest' "
     "and datname = current_database()");
  try {
    in.ingest(std::vector{make("a")});
    FAIL();
  } catch (const postrider::store::error& failure) {
    EXPECT_EQ(failure.what_kind(), postrider::store::error::kind::transient);
  }
  EXPECT_EQ(in.ingest(std::vector{make("a")}).size(), 1u);
  EXPECT_EQ(count("event"), "2");
}

// A lone event takes another way through the database: it has to end the same.
TEST_F(Ingester, AnswersALoneEventAsItAnswersABatch) {
  const auto other_url = postgres_server::shared().migrated_database();
  tenancy other{other_url};
  ingester alone{other_url};
  for (tenancy* each : {static_cast<tenancy*>(this), &other}) {
    each->endpoint({"one", "two.*"});
    each->endpoint({"two.*", "*"}, "event");
  }
  std::mt19937 random{7};
  const auto pick = [&](auto... choices) {
    const std::string all[] = {choices...};
    return all[random() % sizeof...(choices)];
  };
  std::vector<new_event> batch;
  for (int i = 0; i < 400; ++i) {
    auto next = make(pick("one", "two.a", "three"), pick("", "k1", "k2", "k3"),
                     pick("1", "2"));
    next.tenant = pick("t", "t", "t", "nobody");
    next.ordering_key = pick("", "o");
    if (random() % 3 == 0)
      next.kind = event_kind::command;
    batch.push_back(next);
  }
  const auto together = in.ingest(batch);
  for (std::size_t i = 0; i < batch.size(); ++i) {
    const auto one = alone.ingest({&batch[i], 1})[0];
    EXPECT_EQ(one.what, together[i].what) << i;
    EXPECT_EQ(one.deliveries, together[i].deliveries) << i;
  }
  const auto trace = "select string_agg(concat_ws(' ', d.id, d.endpoint, "
                     "d.stream, d.size, d.partition, e.type, e.key, e.kind, "
                     "e.first_delivery, e.last_delivery, e.deliveries), ';' "
                     "order by d.id) from postrider.delivery as d "
                     "join postrider.event as e on e.id = d.event";
  EXPECT_EQ(db.one(trace), other.db.one(trace));
  for (const auto* table : {"event", "event_key"})
    EXPECT_EQ(count(table), other.count(table));
}

TEST_F(Ingester, TakesAnEmptyBatchWithoutAsking) {
  EXPECT_TRUE(ingester{"host=/nonexistent"}.ingest({}).empty());
}
