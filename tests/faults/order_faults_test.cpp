#include "tests/faults/fault_bench.hpp"
#include "tests/faults/fault_record.hpp"
#include "tests/faults/run_seed.hpp"
#include "tests/faults/sql_producer.hpp"
#include "tests/support/eventually.hpp"

#include <fmt/core.h>
#include <gtest/gtest.h>

#include <mutex>
#include <random>
#include <set>
#include <thread>

namespace postrider::testing {
namespace {

using namespace std::chrono_literals;
using std::chrono::milliseconds;

// G-02: eight producers in one stream commit after delays of their own. What
// was committed before another transaction wrote goes first; what one
// transaction wrote keeps its order.
TEST(OrderFaults, OfCommitsWithDelaysAreNone) {
  fault_bench bench{[](const arrival&) { return answer(204); }};
  bench.start();
  bench.endpoint();
  const int transactions = long_run() ? 500 : 20;
  {
    std::vector<std::jthread> all;
    for (std::uint64_t i = 0; i < 8; ++i)
      all.emplace_back([&, i] {
        auto dice = dice_for(200 + i);
        sql_producer producer{bench};
        for (int n = 0; n < transactions; ++n) {
          for (std::uint64_t k = 0; k <= dice() % 3; ++k)
            producer.publish(fmt::format("c{}-{}-{}", i, n, k));
          std::this_thread::sleep_for(milliseconds{dice() % 40});
          producer.commit();
        }
      });
  }
  EXPECT_TRUE(bench.drained()) << bench.node().log();
  const auto verdicts = bench.judge();
  EXPECT_TRUE(holds(verdicts)) << bench.said();
  put_on_record("G-02", "8 producers in one stream, commits delayed",
                transactions * 8, verdicts);
}

// G-03: the first event of a stream fails again and again. Those behind it go
// on within a second, in their order.
TEST(OrderFaults, OfAFailingHeadDelayNobodyBehindIt) {
  std::mutex mutex;
  std::set<std::string> seen;
  fault_bench bench{[&](const arrival& got) {
    if (got.body.find("\"head\"") != std::string::npos)
      return answer(500);
    const std::lock_guard lock{mutex};
    seen.insert(got.body);
    return answer(204);
  }};
  auto& node = bench.start();
  bench.endpoint(
      R"("retry":"100ms 100ms 100ms 100ms 100ms 100ms 100ms 100ms 100ms 100ms")");
  EXPECT_EQ(bench.send("head"), 201);
  const int count = long_run() ? 500 : 12;
  std::vector<std::int64_t> took;
  for (int i = 0; i < count; ++i) {
    const auto key = fmt::format("k{}", i);
    const auto from = ledger_now();
    EXPECT_EQ(bench.send(key), 201);
    EXPECT_TRUE(eventually([&] {
      const std::lock_guard lock{mutex};
      return seen.contains(fault_bench::payload_of(key));
    })) << node.log();
    took.push_back((ledger_now() - from) / 1'000);
    EXPECT_LE(took.back(), 1'000);
    std::this_thread::sleep_for(50ms);
  }
  EXPECT_TRUE(bench.drained()) << node.log();
  const auto verdicts = bench.judge();
  EXPECT_TRUE(holds(verdicts)) << bench.said();
  put_on_record("G-03", "the head of a stream fails", 1, verdicts, took);
}

} // namespace
} // namespace postrider::testing
