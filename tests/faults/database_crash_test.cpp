#include "tests/faults/fault_bench.hpp"
#include "tests/faults/fault_record.hpp"
#include "tests/faults/producers.hpp"
#include "tests/faults/run_seed.hpp"
#include "tests/support/eventually.hpp"

#include <fmt/core.h>
#include <gtest/gtest.h>

namespace postrider::testing {
namespace {

using namespace std::chrono_literals;

/// Crashes the server again and again under load.
std::vector<verdict> crash(fault_bench& bench, postgres_server& server,
                           int rounds) {
  bench.start();
  for (int i = 0; i < 2; ++i)
    bench.endpoint();
  {
    producers load{bench, 3};
    for (int round = 0; round < rounds; ++round) {
      const auto had = bench.shop().count();
      EXPECT_TRUE(bench.shop().wait_for(had + 20)) << bench.node().log();
      server.stop_immediate();
      server.start();
      bench.mark("database", "", 5s);
    }
    const auto had = bench.shop().count();
    EXPECT_TRUE(bench.shop().wait_for(had + 20)) << bench.node().log();
  }
  EXPECT_TRUE(bench.drained()) << bench.node().log();
  auto out = bench.judge();
  put_on_record("B-01", "immediate stop of PostgreSQL", rounds, out);
  return out;
}

// B-01, G1, I6: nothing accepted is lost, nothing is sent again that this node
// knows the outcome of, and it goes on within five seconds.
TEST(DatabaseCrash, UnderLoadLosesAndRepeatsNothing) {
  for (const int rounds : {0, long_run() ? 50 : 3}) {
    postgres_server server;
    fault_bench bench{server, [](const arrival&) { return answer(204); }};
    EXPECT_TRUE(holds(crash(bench, server, rounds))) << bench.said();
  }
}

// RELIABILITY 4, the negative control: without durable commits the same run
// has to lose, or the checker does not see losses.
TEST(DatabaseCrash, WithoutDurableCommitsIsSeenToLose) {
  if (!long_run())
    GTEST_SKIP() << "run it with tests/run --long";
  std::int64_t lost = 0;
  for (int run = 0; run < 5 && lost == 0; ++run) {
    postgres_server server;
    fault_bench bench{server, [](const arrival&) { return answer(204); }};
    bench.here().sql("do $$ begin execute format('alter database %I set "
                     "synchronous_commit = off', current_database()); end $$; "
                     "select 1");
    lost += number_of(crash(bench, server, 10), "I1", "lost");
  }
  EXPECT_GT(lost, 0);
}

} // namespace
} // namespace postrider::testing
