#include "tests/faults/fault_bench.hpp"
#include "tests/faults/fault_record.hpp"
#include "tests/faults/run_seed.hpp"
#include "tests/support/eventually.hpp"

#include <fmt/core.h>
#include <gtest/gtest.h>

#include <csignal>

namespace postrider::testing {
namespace {

using namespace std::chrono_literals;
using std::chrono::milliseconds;

/// Three kinds of receivers by their paths: quick, slow, and one that needs
/// nearly all of the time that a request has.
milliseconds wait_of(const arrival& got) {
  static const std::vector<milliseconds> waits =
      long_run() ? std::vector<milliseconds>{100ms, 10s, 29s}
                 : std::vector<milliseconds>{50ms, 300ms, 1s};
  return waits[static_cast<std::size_t>(std::stoi(got.target.substr(1))) % 3];
}

script slowly(const arrival& got) {
  return {
      {step::kind::pause, "", wait_of(got)},
      {step::kind::write, "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n", {}},
      {step::kind::keep, "", {}}};
}

std::map<std::string, std::string> patient() {
  const bool slow = long_run();
  return {{"HTTP__TIMEOUT", slow ? "35s" : "4s"},
          {"DELIVERY__LEASE", slow ? "40s" : "5s"},
          {"DELIVERY__HEARTBEAT", "200ms"},
          {"SHUTDOWN__TIMEOUT", slow ? "32s" : "4s"}};
}

milliseconds stop_limit() {
  return long_run() ? 32s : 4s;
}

class GracefulStop : public ::testing::Test {
protected:
  /// Full load on the nodes that run: a backlog for every kind of receiver.
  void load(fault_bench& bench) {
    for (int i = 0; i < 6; ++i)
      bench.endpoint(R"("timeout_seconds":)"
                     + std::string{long_run() ? "35" : "4"});
    for (int i = 0; i < 18; ++i)
      EXPECT_EQ(bench.send(fmt::format("k{}", i), fmt::format("s{}", i % 6)),
                201);
    ASSERT_TRUE(bench.shop().wait_for(36));
  }

  int leases(fault_bench& bench, const std::string& of) {
    return std::stoi(bench.here().sql(
        "select count(*) from postrider.partition p join postrider.node n on "
        "n.id = p.owner where n.name = '"
        + of + "'"));
  }

  std::vector<verdict> finish(fault_bench& bench) {
    EXPECT_TRUE(bench.drained(long_run() ? 300s : 40s)) << bench.node().log();
    auto out = bench.judge();
    EXPECT_TRUE(holds(out)) << bench.said();
    return out;
  }
};

// A-06, S1.52: nothing is repeated, the leases are given back, and the other
// node goes on with them within two seconds.
TEST_F(GracefulStop, UnderFullLoadRepeatsNothingAndHandsOver) {
  for (const bool faulty : {false, true}) {
    fault_bench bench{slowly};
    bench.start("", patient());
    auto& first = bench.node();
    ASSERT_NO_FATAL_FAILURE(load(bench));
    milliseconds took{0};
    milliseconds handed{0};
    if (faulty) {
      bench.start("", patient());
      const auto asked = ledger_now();
      first.signal(SIGTERM);
      EXPECT_EQ(first.wait(), 0) << first.log();
      took = milliseconds{(ledger_now() - asked) / 1'000};
      EXPECT_LE(took, stop_limit() + 1s);
      EXPECT_EQ(leases(bench, "n1"), 0);
      EXPECT_TRUE(eventually([&] { return leases(bench, "n2") == 256; }));
      handed = milliseconds{(ledger_now() - asked) / 1'000} - took;
      EXPECT_LE(handed, 2s);
    }
    const auto verdicts = finish(bench);
    EXPECT_EQ(number_of(verdicts, "I2", "U1"), 0) << bench.said();
    EXPECT_EQ(number_of(verdicts, "I2", "U4"), 0) << bench.said();
    fmt::print("A-06 {}: exit after {} ms, leases elsewhere after {} ms more, "
               "0 duplicates\n",
               faulty ? "SIGTERM at full load" : "no fault", took.count(),
               handed.count());
    put_on_record("A-06", faulty ? "SIGTERM at full load" : "none", faulty,
                  verdicts);
  }
}

// A-06: a stop has an end also while the database is away; what could not be
// recorded goes out again.
TEST_F(GracefulStop, WhileTheDatabaseIsAwayEndsInTimeAndLosesNothing) {
  postgres_server server;
  fault_bench bench{server, slowly};
  auto& first = bench.start("", patient());
  ASSERT_NO_FATAL_FAILURE(load(bench));
  server.stop_immediate();
  const auto asked = ledger_now();
  first.signal(SIGTERM);
  EXPECT_EQ(first.wait(), 1) << "work was left in flight";
  const milliseconds took{(ledger_now() - asked) / 1'000};
  EXPECT_LE(took, stop_limit() + 4s) << first.log();
  bench.mark("cut", "n1");
  server.start();
  bench.start("", patient());
  const auto verdicts = finish(bench);
  fmt::print("A-06 SIGTERM without a database: exit after {} ms, U1 {}\n",
             took.count(), number_of(verdicts, "I2", "U1"));
  put_on_record("A-06", "SIGTERM without a database", 1, verdicts);
}

// A-06: the second signal ends it at once.
TEST_F(GracefulStop, ByASecondSignalEndsAtOnceAndLosesNothing) {
  fault_bench bench{slowly};
  auto& first = bench.start("", patient());
  ASSERT_NO_FATAL_FAILURE(load(bench));
  first.signal(SIGTERM);
  EXPECT_EQ(first.wait(200ms), -1) << "it waits for what is in flight";
  const auto asked = ledger_now();
  first.signal(SIGTERM);
  EXPECT_GE(first.wait(), 0);
  const milliseconds took{(ledger_now() - asked) / 1'000};
  EXPECT_LE(took, 2s) << first.log();
  EXPECT_EQ(leases(bench, "n1"), 0);
  bench.mark("cut", "n1");
  bench.start("", patient());
  const auto verdicts = finish(bench);
  fmt::print("A-06 second SIGTERM: exit after {} ms, U1 {}\n", took.count(),
             number_of(verdicts, "I2", "U1"));
  put_on_record("A-06", "second SIGTERM", 1, verdicts);
}

} // namespace
} // namespace postrider::testing
