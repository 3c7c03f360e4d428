#include "store/workbench.hpp"

#include "store/error.hpp"
#include "store/producer.hpp"
#include "tests/store/tenancy.hpp"
#include "tests/support/postgres.hpp"

#include <gtest/gtest.h>

#include <vector>

using postrider::store::error;
using postrider::store::produced_event;
using postrider::store::producer;
using postrider::store::workbench;
using postrider::testing::postgres_server;
using postrider::testing::tenancy;

namespace {

class Workbench : public ::testing::Test, protected tenancy {
protected:
  Workbench() : tenancy{postgres_server::shared().migrated_database()} {
    endpoint({"*"});
    endpoints = bench.endpoints(own);
  }

  workbench bench{url};
  std::vector<std::string> own{"t"};
  std::vector<std::string> others{"other"};
  std::vector<std::int64_t> endpoints;
};

using Producer = Workbench;

} // namespace

TEST_F(Producer, PublishesOneOrMany) {
  producer one{url};
  one.publish({"t", "order.paid", R"({"a":1})"});
  one.publish(std::vector<produced_event>{{"t", "order.paid", "{}"},
                                          {"t", "order.sent", "{}"}});
  EXPECT_EQ(count("event"), "3");
  EXPECT_EQ(count("delivery"), "3");
}

TEST_F(Producer, KeepsNothingOfABatchInWhichOneIsRefused) {
  producer one{url};
  EXPECT_THROW(one.publish(std::vector<produced_event>{
                   {"t", "order.paid", "{}"}, {"nobody", "order.paid", "{}"}}),
               error);
  EXPECT_EQ(count("event"), "0");
}

TEST_F(Workbench, TellsWhatIsOpenOfATenantAndOfItsEndpoints) {
  EXPECT_FALSE(bench.anything_open(own));
  EXPECT_FALSE(bench.anything_open(endpoints));
  EXPECT_EQ(bench.last_delivery(), 0);
  producer{url}.publish({"t", "order.paid", "{}"});
  EXPECT_TRUE(bench.anything_open(own));
  EXPECT_FALSE(bench.anything_open(others));
  EXPECT_TRUE(bench.anything_open(endpoints));
  EXPECT_EQ(bench.open(endpoints), 1);
  EXPECT_EQ(bench.open(bench.endpoints(others)), 0);
  EXPECT_EQ(bench.last_delivery(), 1);
  EXPECT_EQ(bench.since(endpoints, 0).attempts, 0);
}

TEST_F(Workbench, FindsWhatBelongsToOthers) {
  EXPECT_FALSE(bench.foreign(own));
  EXPECT_TRUE(bench.foreign(others));
}

TEST_F(Workbench, TakesWhatOperatorsWereToldForNobodysEvents) {
  db("select postrider.tell_operators('endpoint.degraded', '{}')");
  EXPECT_FALSE(bench.foreign(own));
}

TEST_F(Workbench, CountsWhatIsHeldAndForgetsItWithTheHealth) {
  db("select postrider.operate_health(" + std::to_string(endpoints.at(0))
     + ", 'ep', 'pause', '')");
  producer{url}.publish({"t", "order.paid", "{}"});
  EXPECT_EQ(bench.held(endpoints), 1);
  bench.forget(endpoints);
  EXPECT_EQ(bench.open(endpoints), 0);
  EXPECT_EQ(count("endpoint_health"), "0");
}

TEST_F(Workbench, CountsChangesOfHealthByTheirDirection) {
  for (const auto* way : {R"("from":"healthy","to":"degraded")",
                          R"("from":"degraded","to":"suspended")",
                          R"("from":"suspended","to":"degraded")"})
    db(std::string{"select postrider.tell_operators('endpoint.any', '{"}
       + R"("tenant":"t",)" + way + "}')");
  EXPECT_EQ(bench.moves("t").down, 2);
  EXPECT_EQ(bench.moves("t").up, 1);
  EXPECT_EQ(bench.moves("other").down, 0);
}

TEST_F(Workbench, CountsTheAttemptsThatWereRequests) {
  for (const auto* sent : {"true", "true", "false"})
    db("insert into postrider.attempt (delivery, endpoint, event, duration_ms, "
       "partition, number, sent, final, outcome, started_at) values (7, "
       + std::to_string(endpoints.at(0)) + ", gen_random_uuid(), 0, 0, 1, "
       + sent + ", true, 'succeeded', now())");
  EXPECT_EQ(bench.since(endpoints, 6).succeeded, 3);
  EXPECT_EQ(bench.since(endpoints, 6).attempts, 3);
  EXPECT_EQ(bench.since(endpoints, 6).sent, 2);
  EXPECT_EQ(bench.since(endpoints, 7).attempts, 0);
}

TEST_F(Workbench, KeepsTheLeasesFromEveryNodeUntilItFreesThem) {
  EXPECT_FALSE(bench.leased());
  bench.keep_leases();
  EXPECT_TRUE(bench.leased());
  EXPECT_FALSE(bench.in_use()) << "by a node";
  bench.free_leases();
  EXPECT_FALSE(bench.leased());
}

TEST_F(Workbench, SeesThatANodeIsAtWork) {
  EXPECT_FALSE(bench.in_use());
  db("update postrider.partition set owner = gen_random_uuid(), "
     "expires_at = now() + interval '20 s' where id = 3");
  EXPECT_TRUE(bench.in_use());
}

TEST_F(Workbench, MeasuresTheLogAndSettles) {
  const auto before = bench.wal();
  producer{url}.publish({"t", "order.paid", "{}"});
  EXPECT_GT(bench.wal(), before);
  EXPECT_TRUE(bench.settle());
  EXPECT_TRUE(bench.settings().contains("fsync"));
  EXPECT_GT(bench.backend(), 1);
}
