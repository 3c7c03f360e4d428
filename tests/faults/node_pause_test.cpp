#include "tests/faults/answers.hpp"
#include "tests/faults/fault_record.hpp"
#include "tests/faults/fleet.hpp"
#include "tests/faults/in_parallel.hpp"
#include "tests/faults/producers.hpp"
#include "tests/faults/run_seed.hpp"
#include "tests/support/eventually.hpp"
#include "tests/support/metrics_page.hpp"

#include <fmt/core.h>
#include <gtest/gtest.h>

namespace postrider::testing {
namespace {

using namespace std::chrono_literals;
using std::chrono::milliseconds;

constexpr milliseconds lease = 1'100ms;

struct pause_case {
  const char* told;
  milliseconds span;
};

void pause_a_node(const pause_case& what) {
  fault_bench bench{after_a_moment<10>};
  fleet nodes{bench, 2};
  for (int i = 0; i < 4; ++i)
    bench.endpoint();
  producers load{bench, 2, "p", 10ms};
  const int rounds = long_run() ? 50 : 1;
  for (int i = 0; i < rounds; ++i) {
    const auto before = load.sent();
    ASSERT_TRUE(eventually([&] { return load.sent() > before + 3; }));
    bench.pause(*nodes[0].process, nodes[0].name, what.span);
    ASSERT_TRUE(nodes.shared()) << bench.node().log();
  }
  load.stop();
  ASSERT_TRUE(bench.drained()) << bench.node().log();
  const auto verdicts = bench.judge();
  EXPECT_TRUE(holds(verdicts)) << bench.said();
  put_on_record("A-04", fmt::format("SIGSTOP for {} leases", what.told), rounds,
                verdicts);
}

// A-04, S3.52, LEASE-09: a node that was stopped around its lease comes back to
// leases that are another's; one outcome counts, and one successor follows.
TEST(NodePause, AroundTheLeaseLosesNothingAndItsLateOutcomesCountForNothing) {
  in_parallel<pause_case>(
      {{"0.5", lease / 2}, {"1.1", lease * 11 / 10}, {"3", lease * 3}},
      pause_a_node);
}

/// What is hurt, and whether a request may go out when the lease has ended.
struct gap_case {
  const char* told;
  const char* place;
  bool may_repeat;
};

void stall_in_the_gap(const gap_case& what) {
  fault_bench bench{after_a_moment<10>};
  const auto from = ledger_now();
  // Past the time after which it gives up, and the lease behind it.
  bench.start(fmt::format("{}=stall(1,5,3000)", what.place),
              {{"DELIVERY__STALLED_AFTER", "1s"}});
  bench.start();
  auto& first = *bench.here().nodes()[0];
  for (int i = 0; i < 8; ++i)
    bench.endpoint();
  for (int i = 0; i < 20; ++i)
    EXPECT_TRUE(bench.insist(fmt::format("k{}", i)));
  EXPECT_TRUE(bench.drained()) << first.log();
  bench.producer().write_durably(
      mark_line{"pause", "n1", from, ledger_now(), 0});
  // Its loop turns again, and what it held back is given up.
  EXPECT_TRUE(eventually(
      [&] {
        return bench.here().call(first, "READY", "/readyz").status == 200;
      },
      30s))
      << first.log();
  const auto verdicts = bench.judge();
  EXPECT_TRUE(holds(verdicts)) << bench.said();
  const auto repeats = number_of(verdicts, "I2", "U2");
  // In flight when it stood still: one of each endpoint at most.
  EXPECT_LE(repeats, 8) << bench.said();
  if (!what.may_repeat) {
    EXPECT_EQ(number_of(verdicts, "I2", "U4"), 0) << bench.said();
  }
  put_on_record("A-05", what.told, 1, verdicts);
}

// A-05, LEASE-02: the lease is looked at again right before the first byte.
TEST(NodePause, BeforeTheFirstByteRepeatsAtMostWhatWasOnItsWay) {
  in_parallel<gap_case>(
      {{"stalled before the last look at the lease", "client.begins", false},
       {"stalled between that look and the first byte", "client.connected",
        true}},
      stall_in_the_gap);
}

struct stall_case {
  const char* row;
  const char* told;
  const char* place;
};

void stall_a_part(const stall_case& what) {
  fault_bench bench{after_a_moment<10>};
  const auto from = ledger_now();
  const auto span = long_run() ? 60'000 : 3'500;
  bench.start(fmt::format("{}=stall(1,30,{})", what.place, span),
              {{"DELIVERY__STALLED_AFTER", "1s"}});
  bench.start();
  auto& first = *bench.here().nodes()[0];
  const auto ready = [&] {
    return bench.here().call(first, "READY", "/readyz").status == 200;
  };
  const auto leases = [&] {
    return std::stoi(bench.here().sql(
        "select count(*) from postrider.partition p join postrider.node n on "
        "n.id = p.owner where n.name = 'n1'"));
  };
  ASSERT_TRUE(eventually(ready));
  for (int i = 0; i < 8; ++i)
    bench.endpoint();
  producers load{bench, 2, "p", 10ms}; // by the other node
  ASSERT_TRUE(eventually([&] { return !ready(); }, 30s)) << first.log();
  const auto seen = ledger_now();
  EXPECT_TRUE(eventually([&] { return leases() == 0; }, 30s)) << first.log();
  const std::int64_t took = (ledger_now() - seen) / 1'000;
  EXPECT_LE(took, (lease + 3s).count());
  // It moves again, and takes its share again.
  EXPECT_TRUE(eventually([&] { return ready() && leases() == 128; }, 120s))
      << first.log();
  load.stop();
  EXPECT_TRUE(bench.drained()) << first.log();
  bench.producer().write_durably(
      mark_line{"pause", "n1", from, ledger_now(), 0});
  const auto verdicts = bench.judge();
  EXPECT_TRUE(holds(verdicts)) << bench.said();
  EXPECT_NE(first.log().find("gives its leases up"), std::string::npos);
  put_on_record(what.row, what.told, 1, verdicts, {took});
}

// A-13, LEASE-08: a heartbeat is no sign of work. What stands still is given
// up, others take over in lease time, and it comes back by itself.
TEST(NodePause, OfALoopOrADispatcherGivesItsLeasesUpAndTakesThemAgain) {
  in_parallel<stall_case>(
      {{"A-13", "blocked loop", "client.connected"},
       {"A-13", "blocked dispatch (LEASE-08)", "partition.begin"}},
      stall_a_part);
}

// LOAD-04: while nothing is dispatched, ingest works and the heartbeat lives,
// the node says that it is not ready, and the age of the oldest grows.
TEST(NodePause, OfDispatchAloneShowsInReadinessAndInTheAgeOfTheOldest) {
  fault_bench bench{after_a_moment<10>};
  bench.start();
  bench.endpoint();
  bench.kill(bench.node(), bench.name());
  auto& node = bench.start("partition.begin=stall(1,1,14000)",
                           {{"DELIVERY__STALLED_AFTER", "1s"}});
  ASSERT_TRUE(bench.insist("stuck"));
  EXPECT_TRUE(eventually(
      [&] { return bench.here().call(node, "READY", "/readyz").status == 503; },
      30s));
  EXPECT_TRUE(bench.insist("meanwhile")) << "ingest goes on";
  const auto oldest = [&] {
    const auto got = exchange(node.admin_port(), "GET /metrics HTTP/1.1\r\n"
                                                 "Host: t\r\n"
                                                 "Connection: close\r\n\r\n");
    return sum_of(read_metrics(got ? got->body : ""),
                  "postrider_delivery_oldest_due_age_seconds",
                  {{"state", "queued"}});
  };
  EXPECT_TRUE(eventually([&] { return oldest() > 2; }, 30s)) << node.log();
  EXPECT_TRUE(bench.drained()) << node.log();
}

} // namespace
} // namespace postrider::testing
