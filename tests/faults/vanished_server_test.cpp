#include "tests/faults/fault_bench.hpp"
#include "tests/faults/fault_record.hpp"
#include "tests/faults/producers.hpp"
#include "tests/faults/run_seed.hpp"
#include "tests/support/eventually.hpp"
#include "tests/support/network_island.hpp"
#include "tests/support/shell.hpp"

#include <fmt/core.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <optional>
#include <set>
#include <sstream>
#include <thread>

namespace postrider::testing {
namespace {

using namespace std::chrono_literals;
using std::chrono::steady_clock;

/// Ports of this machine's ends of connections to there that are established.
std::set<std::string> connections_to(const std::string& address) {
  std::set<std::string> out;
  std::istringstream lines{
      shell("ss -Htn state established dst " + address).output};
  std::string waiting;
  std::string sending;
  std::string mine;
  std::string theirs;
  while (lines >> waiting >> sending >> mine >> theirs)
    out.insert(mine);
  return out;
}

// B-04, C-19, NET-04: the packets between the node and its database vanish and
// nobody is told, while the receivers are fine. Nothing new begins once the
// lease is over, dead connections are found, and what was known is written.
TEST(VanishedServer, IsFoundOutAndEndsNewWorkWithTheLease) {
  if (const auto why = network_island::refusal(); !why.empty())
    GTEST_SKIP() << why;
  // The times of the product in the long form, shorter ones else.
  const auto span = long_run() ? 60s : 8s;
  const auto dead_within = long_run() ? 15s : 6s;
  const std::string times = long_run()
                                ? ""
                                : "&tcp_user_timeout=2000&keepalives_idle=1"
                                  "&keepalives_interval=1&connect_timeout=2";
  network_island island;
  std::optional<postgres_server> server;
  island.inside(
      [&] { server.emplace(std::vector<std::string>{"listen_addresses=*"}); });
  fault_bench bench{*server, [](const arrival&) { return answer(204); }};
  const auto database = bench.here().sql("select current_database()");
  bench.start("", {{"STORAGE__URL",
                    fmt::format("postgresql://postgres@{}/{}?sslmode=disable{}",
                                island.address(), database, times)}});
  bench.endpoint();
  producers load{bench, 2, "p", 5ms};
  ASSERT_TRUE(bench.shop().wait_for(20)) << bench.node().log();
  const auto before = connections_to(island.address());
  EXPECT_GE(before.size(), 5u);
  island.cut();
  const auto cut_at = steady_clock::now();
  // Its lease is 1.1 s and may have been renewed just before.
  std::this_thread::sleep_until(cut_at + 2s);
  const auto known = bench.shop().count();
  EXPECT_TRUE(eventually(
      [&] {
        const auto now = connections_to(island.address());
        return std::none_of(before.begin(), before.end(),
                            [&](const auto& one) { return now.contains(one); });
      },
      dead_within - 2s))
      << "after " << dead_within.count() << " s";
  const auto found_after = steady_clock::now() - cut_at;
  std::this_thread::sleep_until(cut_at + span);
  EXPECT_EQ(bench.shop().count(), known);
  island.heal();
  bench.mark("database", "", 10s);
  EXPECT_TRUE(bench.shop().wait_for(known + 20, 60s)) << bench.node().log();
  EXPECT_GT(load.stop(), 0);
  ASSERT_TRUE(bench.drained()) << bench.node().log();
  EXPECT_EQ(bench.here().sql("select count(*) from postrider.attempt where "
                             "outcome <> 'succeeded'"),
            "0");
  const auto verdicts = bench.judge();
  EXPECT_TRUE(holds(verdicts)) << bench.said();
  put_on_record("B-04", "packets to the database vanish", 1, verdicts);
  fmt::print("B-04 all connections declared dead after {} ms\n",
             std::chrono::duration_cast<std::chrono::milliseconds>(found_after)
                 .count());
}

} // namespace
} // namespace postrider::testing
