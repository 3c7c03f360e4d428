#include "tests/faults/fault_bench.hpp"
#include "tests/faults/fault_record.hpp"
#include "tests/faults/run_seed.hpp"
#include "tests/support/aged_rows.hpp"
#include "tests/support/eventually.hpp"

#include "store/migrator.hpp"

#include <fmt/core.h>
#include <gtest/gtest.h>

#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <random>
#include <thread>

namespace postrider::testing {
namespace {

using namespace std::chrono_literals;
using std::chrono::milliseconds;

script refuses(const arrival&) {
  return answer(400);
}

/// A backlog of failed deliveries, and the node that will be killed.
void fail_all(fault_bench& bench, int count) {
  bench.endpoint(R"("ordering":"none","retry":"10ms")");
  bench.here().sql(fmt::format(
      "select count(postrider.publish('acme', 'a.b', '1'::bytea)) from "
      "generate_series(1, {})",
      count));
  ASSERT_TRUE(bench.drained()) << bench.node().log();
}

std::int64_t number(fault_bench& bench, const std::string& statement) {
  return std::stoll(bench.here().sql(statement));
}

/// Calls, and kills the node while it works.
void kill_while(fault_bench& bench, const std::string& path,
                const std::string& body, milliseconds after) {
  auto& node = bench.node();
  std::jthread caller{[&] {
    try {
      bench.here().call(node, "POST", path, body);
    } catch (const std::runtime_error&) {
      // It was killed before it listened.
    }
  }};
  std::this_thread::sleep_for(after);
  bench.kill(node, bench.name());
}

// A-20: a node is killed while it retries or purges dead letters in bulk, or
// deletes an endpoint. Each chunk is there as a whole or not at all, and asking
// again does the rest.
TEST(KilledJob, OfManyDeadLettersIsThereAsAWholeOrGoesOn) {
  const int rounds = long_run() ? 50 : 2;
  const int count = long_run() ? 3'000 : 500;
  auto dice = dice_for(20);
  std::int64_t half = 0;
  for (int i = 0; i < rounds; ++i) {
    const bool purge = i % 2 == 1;
    fault_bench bench{refuses};
    bench.start();
    ASSERT_NO_FATAL_FAILURE(fail_all(bench, count));
    kill_while(bench,
               purge ? "/v1/dead-letters/purge" : "/v1/dead-letters/retry",
               fmt::format(R"({{"tenant":"acme","expect_count":{}}})", count),
               milliseconds{dice() % 30});
    // No delivery is open and dead at once, and none is neither.
    half += number(bench,
                   "select count(*) from postrider.delivery d join "
                   "postrider.attempt a on a.delivery = d.id where a.final and "
                   "a.number >= d.attempts");
    bench.start();
    ASSERT_TRUE(bench.drained()) << bench.node().log();
  }
  EXPECT_EQ(half, 0);
  fault_record out{"A-20", "kill -9 during bulk retry and purge", rounds};
  out.other = half;
  put_on_record(out);
}

// A-20: a migration is a transaction: what is killed under way left nothing,
// and the next one does it all.
TEST(KilledJob, OfAMigrationLeavesNothingHalfDone) {
  const int rounds = long_run() ? 50 : 3;
  auto dice = dice_for(21);
  for (int i = 0; i < rounds; ++i) {
    const auto url = postgres_server::shared().fresh_database();
    const auto setting = "POSTRIDER_STORAGE__URL=" + url;
    const pid_t child = fork();
    if (child == 0) {
      execl("/usr/bin/env", "env", setting.c_str(), POSTRIDER_PRODUCT,
            "migrate", "up", nullptr);
      _exit(127);
    }
    std::this_thread::sleep_for(milliseconds{20 + dice() % 200});
    ::kill(child, SIGKILL);
    int status = 0;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    EXPECT_FALSE(WIFEXITED(status) && WEXITSTATUS(status) == 127);
    store::migrator it{url};
    EXPECT_NO_THROW(it.up());
    EXPECT_NO_THROW(it.check());
  }
  put_on_record({"A-20", "kill -9 during a migration", rounds});
}

// A-20: a day is dropped as a whole or not at all, and another node does it.
TEST(KilledJob, OfRetentionIsNotDoneAndIsDoneByTheNextNode) {
  fault_bench bench{[](const arrival&) { return answer(204); }};
  bench.start();
  bench.endpoint();
  for (int i = 0; i < 10; ++i)
    bench.send(fmt::format("k{}", i));
  ASSERT_TRUE(bench.drained());
  bench.kill(bench.node(), bench.name());
  for (const auto& one : make_older(40))
    bench.here().sql(one);
  const std::map<std::string, std::string> often{{"RETENTION__EVERY", "1s"}};
  EXPECT_NE(bench.start("retention.before_drop=crash", often, false).wait(), 0);
  EXPECT_EQ(number(bench, "select count(*) from postrider.event"), 10);
  auto& next = bench.start("", often);
  EXPECT_TRUE(eventually(
      [&] {
        return number(bench, "select count(*) from postrider.event") == 0;
      },
      30s))
      << next.log();
  EXPECT_EQ(number(bench, "select count(*) from postrider.attempt"), 10);
  put_on_record({"A-20", "kill -9 during retention", 1});
}

} // namespace
} // namespace postrider::testing
