#include "tests/faults/answers.hpp"
#include "tests/faults/fault_record.hpp"
#include "tests/faults/fleet.hpp"
#include "tests/faults/producers.hpp"
#include "tests/faults/run_seed.hpp"
#include "tests/support/eventually.hpp"

#include <fmt/core.h>
#include <gtest/gtest.h>

#include <csignal>

namespace postrider::testing {
namespace {

using namespace std::chrono_literals;
using std::chrono::milliseconds;

std::map<std::string, std::string> steady() {
  return {{"HTTP__TIMEOUT", "4s"}, {"DELIVERY__LEASE", "5s"}};
}

std::vector<verdict> judged(fault_bench& bench) {
  EXPECT_TRUE(bench.drained()) << bench.node().log();
  auto out = bench.judge();
  EXPECT_TRUE(holds(out)) << bench.said();
  return out;
}

// The others give at their next heartbeat, and what they give is taken within
// it. Measured from the moment at which the node has told that it is there.
TEST(Membership, IsFairWithinOneHeartbeatOfAJoin) {
  auto settings = steady();
  settings["DELIVERY__LEASE"] = "6s";
  settings["DELIVERY__HEARTBEAT"] = "2s";
  fault_bench bench{after_a_moment<20>};
  fleet nodes{bench, 1, settings};
  bench.endpoint();
  producers load{bench, 1, "p", 20ms};
  std::vector<std::int64_t> took;
  for (int i = 0; i < (long_run() ? 7 : 2); ++i) {
    const auto name = nodes.join().name;
    ASSERT_TRUE(nodes.shared());
    took.push_back(std::stoll(bench.here().sql(fmt::format(
        "select (extract(epoch from clock_timestamp() - started_at) * 1000)"
        "::int8 from postrider.node where name = '{}'",
        name))));
    EXPECT_LE(took.back(), 3'000) << "one heartbeat, and a slow machine";
    fmt::print("join of node {}: a fair share after {:.2f} heartbeats\n", i + 2,
               static_cast<double>(took.back()) / 2'000);
  }
  load.stop();
  const auto count = static_cast<std::int64_t>(took.size());
  put_on_record("join", "a node more, heartbeat 2 s", count, judged(bench),
                took);
}

// G-04: partitions change hands each second, by draining one of two nodes
// after the other; the fence log tells who held what when.
TEST(Membership, HandsOverEachSecondWithoutTwoOwnersOrReordering) {
  fault_bench bench{after_a_moment<20>};
  fleet nodes{bench, 2, steady()};
  for (int i = 0; i < 8; ++i)
    bench.endpoint();
  producers load{bench, 3, "p", 10ms};
  const auto id_of = [&](const std::string& name) {
    return bench.here().sql(
        fmt::format("select id from postrider.node where name = '{}'", name));
  };
  const auto tell = [&](std::size_t which, const char* verb) {
    // By the other node: any can tell any.
    const auto got = bench.here().call(
        *nodes[1 - which].process, "POST",
        fmt::format("/v1/nodes/{}/{}", id_of(nodes[which].name), verb));
    EXPECT_EQ(got.status, 200) << got.body;
  };
  const int moves = long_run() ? 600 : 4;
  std::vector<std::int64_t> took;
  for (int i = 0; i < moves; ++i) {
    const auto which = static_cast<std::size_t>(i % 2);
    const auto from = ledger_now();
    tell(which, "drain");
    EXPECT_TRUE(eventually([&] {
      return nodes.leases_of(nodes[which].name) == 0
             && nodes.leases_of(nodes[1 - which].name) == 256;
    })) << nodes[which].process->log();
    took.push_back((ledger_now() - from) / 1'000);
    tell(which, "undrain");
    ASSERT_TRUE(nodes.shared());
  }
  load.stop();
  const auto record = put_on_record("G-04", "partitions moved each second",
                                    moves, judged(bench), took);
  EXPECT_EQ(record.unavoidable, 0) << bench.said();
}

// G-05: from one node to eight and down to two under load.
TEST(Membership, GrowsAndShrinksUnderLoad) {
  const std::size_t most = long_run() ? 8 : 4;
  fault_bench bench{after_a_moment<20>};
  fleet nodes{bench, 1, steady()};
  for (int i = 0; i < 8; ++i)
    bench.endpoint();
  producers load{bench, 2, "p", 10ms};
  while (nodes.size() < most)
    nodes.join();
  ASSERT_TRUE(nodes.shared());
  for (std::size_t i = 2; i < most; ++i)
    nodes[i].process->signal(SIGTERM);
  for (std::size_t i = 2; i < most; ++i) {
    EXPECT_EQ(nodes[i].process->wait(), 0) << nodes[i].process->log();
    EXPECT_EQ(nodes.leases_of(nodes[i].name), 0);
  }
  // Nothing lies fallow for longer than a lease.
  EXPECT_TRUE(eventually(
      [&] {
        return nodes.leases_of(nodes[0].name) == 128
               && nodes.leases_of(nodes[1].name) == 128;
      },
      5s));
  load.stop();
  const auto record = put_on_record(
      "G-05", fmt::format("1 to {} to 2 nodes", most), 1, judged(bench));
  EXPECT_EQ(record.unavoidable, 0) << bench.said();
}

} // namespace
} // namespace postrider::testing
