#include "store/bench_rows.hpp"

#include "store/workbench.hpp"
#include "tests/store/tenancy.hpp"
#include "tests/support/postgres.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

using postrider::store::bench_rows;
using postrider::store::workbench;
using postrider::testing::postgres_server;
using postrider::testing::tenancy;

namespace {

class BenchRows : public ::testing::Test, protected tenancy {
protected:
  BenchRows() : tenancy{postgres_server::shared().migrated_database()} {
    endpoint({"*"});
    endpoint({"*"});
    endpoints = bench.endpoints(own);
  }

  bench_rows::backlog five() const {
    bench_rows::backlog what;
    what.endpoints = endpoints;
    what.tenant = "t";
    what.type = "order.paid";
    what.first = 7;
    what.count = 5;
    what.moment = 42;
    what.payload = {"{\"n\":\"", "\",\"at\":\"", "\"}", 3, 4};
    return what;
  }

  workbench bench{url};
  bench_rows rows{url};
  std::vector<std::string> own{"t"};
  std::vector<std::int64_t> endpoints;
};

} // namespace

TEST_F(BenchRows, WritesABacklogInTheOrderOfItsNumbers) {
  rows.write_backlog(five());
  EXPECT_EQ(bench.open(endpoints), 5);
  EXPECT_EQ(db.one("select string_agg(convert_from(e.payload, 'UTF8'), ' ' "
                   "order by d.id) from postrider.delivery as d "
                   "join postrider.event as e on e.id = d.event "
                   "where d.endpoint = "
                   + std::to_string(endpoints.at(1))),
            R"({"n":"007","at":"0042"} {"n":"009","at":"0042"} )"
            R"({"n":"011","at":"0042"})");
  EXPECT_EQ(db.one("select bool_and(d.partition = p.partition and d.size = 23 "
                   "and d.id = e.first_delivery) from postrider.delivery as d "
                   "join postrider.endpoint as p on p.id = d.endpoint "
                   "join postrider.event as e on e.id = d.event"),
            "t");
}

TEST_F(BenchRows, HoldsWhatIsForAnEndpointThatIsPaused) {
  rows.pause(endpoints.at(0));
  auto what = five();
  const std::vector<std::int64_t> one{endpoints.at(0)};
  what.endpoints = one;
  what.held = true;
  rows.write_backlog(what);
  EXPECT_EQ(bench.held(one), 5);
  EXPECT_EQ(db.one("select postrider.rescue_held()"), "0")
      << "nobody lets it go";
}

TEST_F(BenchRows, MakesRetriesDueAndNothingElse) {
  rows.write_backlog(five());
  db("update postrider.delivery set state = 'retrying', "
     "due_at = now() + interval '1 h' where id in (1, 2)");
  EXPECT_EQ(rows.make_due(endpoints), 2);
  EXPECT_EQ(db.one("select count(*) from postrider.delivery "
                   "where due_at <= now()"),
            "2");
}

TEST_F(BenchRows, MakesIdleEndpointsWithSecretsAndTakesThemAway) {
  rows.make_idle({"t", "http://127.0.0.1:9/e/0", 30, std::string(32, 'k')});
  EXPECT_EQ(bench.endpoints(own).size(), 32U);
  EXPECT_EQ(db.one("select count(*) from postrider.endpoint_secret as s "
                   "join postrider.endpoint as e on e.id = s.endpoint "
                   "join postrider.subscription as w on w.endpoint = e.id "
                   "where e.uid like 'idle-%'"),
            "30");
  rows.remove_idle("t");
  EXPECT_EQ(bench.endpoints(own), endpoints);
}

TEST_F(BenchRows, HoldsTheHorizonUntilItEnds) {
  {
    bench_rows other{url};
    other.hold_horizon();
    EXPECT_EQ(db.one("select count(*) from pg_stat_activity "
                     "where datname = current_database() "
                     "and backend_xmin is not null and state = "
                     "'idle in transaction'"),
              "1");
  }
  EXPECT_EQ(bench.open(endpoints), 0);
}
