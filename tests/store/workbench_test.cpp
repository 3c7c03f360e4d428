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
  }

  workbench bench{url};
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

TEST_F(Workbench, TellsWhatIsOpenOfATenant) {
  EXPECT_FALSE(bench.anything_open("t"));
  EXPECT_EQ(bench.last_delivery(), 0);
  producer{url}.publish({"t", "order.paid", "{}"});
  EXPECT_TRUE(bench.anything_open("t"));
  EXPECT_EQ(bench.open("t"), 1);
  EXPECT_EQ(bench.open("other"), 0);
  EXPECT_EQ(bench.last_delivery(), 1);
  EXPECT_EQ(bench.since("t", 0).attempts, 0);
}

TEST_F(Workbench, FindsWhatBelongsToOthers) {
  EXPECT_FALSE(bench.foreign("t"));
  EXPECT_TRUE(bench.foreign("other"));
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
