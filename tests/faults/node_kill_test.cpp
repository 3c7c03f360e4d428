#include "tests/faults/answers.hpp"
#include "tests/faults/fault_record.hpp"
#include "tests/faults/fleet.hpp"
#include "tests/faults/in_parallel.hpp"
#include "tests/faults/producers.hpp"
#include "tests/faults/run_seed.hpp"

#include <fmt/core.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <random>

namespace postrider::testing {
namespace {

using namespace std::chrono_literals;
using std::chrono::milliseconds;

constexpr milliseconds lease = 1'100ms;

struct kill_case {
  const char* row;
  int endpoints;
  int kills;
  milliseconds pause; ///< between two events of one producer
};

/// Kills one of three nodes after the other under load, each when the one
/// before has been taken over and another stands in its place.
void kill_nodes(const kill_case& what) {
  fault_bench bench{after_a_moment<20>};
  fleet nodes{bench, 3};
  for (int i = 0; i < what.endpoints; ++i)
    bench.endpoint();
  producers load{bench, 4, "p", what.pause};
  auto dice = dice_for(static_cast<std::uint64_t>(what.endpoints));
  std::vector<std::int64_t> back;
  for (int i = 0; i < what.kills; ++i) {
    std::this_thread::sleep_for(
        milliseconds{std::uniform_int_distribution<>{100, 600}(dice)});
    const auto which = dice() % nodes.size();
    const auto name = nodes[which].name;
    bench.kill(*nodes[which].process, name);
    back.push_back(nodes.given_up(name).count());
    EXPECT_LE(back.back(), (lease + 3s).count()) << "LEASE-06, I6";
    nodes.rejoin(which);
    // What two that were killed have held goes carefully for a minute.
    ASSERT_TRUE(nodes.shared(90s)) << bench.node().log();
  }
  EXPECT_GT(load.stop(), 0);
  ASSERT_TRUE(bench.drained(90s)) << bench.node().log();
  const auto verdicts = bench.judge();
  EXPECT_TRUE(holds(verdicts)) << bench.said();
  put_on_record(what.row,
                fmt::format("kill -9 of one of three nodes, {} endpoints",
                            what.endpoints),
                what.kills, verdicts, back);
}

// A-03, G-01: one of three nodes is killed at random moments, and the order of
// first attempts survives it in many partitions too.
TEST(NodeKill, OfOneOfThreeUnderLoadLosesNothingAndIsTakenOverInTime) {
  const bool slow = long_run();
  in_parallel<kill_case>({{"A-03", 4, slow ? 300 : 4, slow ? 2ms : 100ms},
                          {"G-01", 64, slow ? 60 : 2, slow ? 20ms : 2'000ms}},
                         kill_nodes);
}

} // namespace
} // namespace postrider::testing
