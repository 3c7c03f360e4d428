#include "tests/faults/fault_bench.hpp"
#include "tests/faults/fault_record.hpp"
#include "tests/faults/producers.hpp"
#include "tests/faults/run_seed.hpp"

#include <gtest/gtest.h>
#include <pqxx/pqxx>

namespace postrider::testing {
namespace {

// B-02: no attempt is counted as the receiver's failure, none is made twice,
// and a producer hears at worst that its event may be stored or not.
TEST(BackendsKilled, AtRandomUnderLoadCostNoAttempt) {
  const int rounds = long_run() ? 6'000 : 30;
  fault_bench bench{[](const arrival&) { return answer(204); }};
  bench.start();
  bench.endpoint();
  bench.endpoint();
  int killed = 0;
  producers load{bench, 3};
  {
    pqxx::connection link{bench.here().url()};
    pqxx::nontransaction run{link};
    for (int i = 0; i < rounds; ++i) {
      killed += static_cast<int>(
          run.exec("select pg_terminate_backend(pid) from pg_stat_activity "
                   "where datname = current_database() and "
                   "application_name like 'postrider %' "
                   "order by random() limit 1")
              .size());
      const auto had = bench.shop().count();
      ASSERT_TRUE(bench.shop().wait_for(had + 5)) << bench.node().log();
    }
  }
  EXPECT_GT(killed, rounds / 2);
  EXPECT_GT(load.stop(), 0);
  ASSERT_TRUE(bench.drained()) << bench.node().log();
  EXPECT_EQ(bench.here().sql("select count(*) from postrider.attempt where "
                             "outcome <> 'succeeded'"),
            "0");
  const auto verdicts = bench.judge();
  EXPECT_TRUE(holds(verdicts)) << bench.said();
  put_on_record("B-02", "pg_terminate_backend at random", killed, verdicts);
}

} // namespace
} // namespace postrider::testing
