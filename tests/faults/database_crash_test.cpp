#include "tests/faults/fault_bench.hpp"
#include "tests/faults/run_seed.hpp"
#include "tests/support/eventually.hpp"

#include <fmt/core.h>
#include <gtest/gtest.h>

#include <atomic>
#include <thread>

namespace postrider::testing {
namespace {

using namespace std::chrono_literals;

/// Producers that send until they are stopped, each key until it is accepted.
class producers {
public:
  producers(fault_bench& bench, int count) {
    for (int i = 0; i < count; ++i)
      threads_.emplace_back([this, &bench, i] {
        for (int n = 0; !stop_; ++n) {
          const auto key = fmt::format("p{}-{}", i, n);
          if (bench.insist(key, fmt::format("s{}", i)))
            ++sent_;
        }
      });
  }
  ~producers() { stop(); }

  int stop() {
    stop_ = true;
    for (auto& one : threads_)
      if (one.joinable())
        one.join();
    return sent_;
  }

private:
  std::atomic<bool> stop_{false};
  std::atomic<int> sent_{0};
  std::vector<std::thread> threads_;
};

/// Crashes the server again and again under load.
std::vector<verdict> crash(fault_bench& bench, postgres_server& server,
                           int rounds) {
  bench.start();
  for (int i = 0; i < 2; ++i)
    bench.endpoint();
  int sent = 0;
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
    sent = load.stop();
  }
  EXPECT_TRUE(bench.drained()) << bench.node().log();
  auto out = bench.judge();
  fmt::print("B-01 {} crashes: {} events accepted, lost {}, back after p50 {} "
             "ms, max {} ms, U1 {}\n",
             rounds, sent, number_of(out, "I1", "lost"),
             number_of(out, "I6", "p50 ms"), number_of(out, "I6", "max ms"),
             number_of(out, "I2", "U1"));
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
