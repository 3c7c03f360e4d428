#include "tests/faults/fault_bench.hpp"
#include "tests/faults/fault_record.hpp"
#include "tests/faults/producers.hpp"
#include "tests/faults/run_seed.hpp"

#include <fmt/core.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <thread>

namespace postrider::testing {
namespace {

using namespace std::chrono_literals;
using std::chrono::steady_clock;

// B-03, LEASE-14: the server hangs with all its connections open. A producer
// is told so in time, the node lives, and all is well soon afterwards.
TEST(ServerHang, IsAnsweredInTimeAndLosesNothing) {
  const auto span = long_run() ? 20s : 4s;
  postgres_server server;
  fault_bench bench{server, [](const arrival&) { return answer(204); }};
  bench.start("", {{"STORAGE__STATEMENT_TIMEOUT", "500ms"},
                   {"INGEST__TIMEOUT", "500ms"}});
  bench.endpoint();
  producers load{bench, 2, "p", 5ms};
  ASSERT_TRUE(bench.shop().wait_for(20)) << bench.node().log();
  server.freeze();
  const auto thaw_at = steady_clock::now() + span;
  steady_clock::duration longest{};
  for (int i = 0; steady_clock::now() < thaw_at; ++i) {
    const auto asked = steady_clock::now();
    EXPECT_EQ(bench.send(fmt::format("hung{}", i)), 503);
    longest = std::max(longest, steady_clock::now() - asked);
    EXPECT_EQ(bench.here().call(bench.node(), "READY", "/healthz").status, 200);
  }
  EXPECT_LT(longest, 5s);
  server.thaw();
  bench.mark("database", "", 5s);
  const auto had = bench.shop().count();
  EXPECT_TRUE(bench.shop().wait_for(had + 20)) << bench.node().log();
  EXPECT_GT(load.stop(), 0);
  ASSERT_TRUE(bench.drained()) << bench.node().log();
  EXPECT_EQ(bench.here().sql("select count(*) from postrider.attempt where "
                             "outcome <> 'succeeded'"),
            "0");
  const auto verdicts = bench.judge();
  EXPECT_TRUE(holds(verdicts)) << bench.said();
  put_on_record("B-03", "SIGSTOP of the whole server", 1, verdicts);
  fmt::print(
      "B-03 longest call {} ms\n",
      std::chrono::duration_cast<std::chrono::milliseconds>(longest).count());
}

} // namespace
} // namespace postrider::testing
