#include "tests/faults/fault_bench.hpp"
#include "tests/faults/fault_record.hpp"
#include "tests/faults/in_parallel.hpp"
#include "tests/faults/run_seed.hpp"

#include <fmt/core.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>

namespace postrider::testing {
namespace {

using namespace std::chrono_literals;

/// Answers late enough that there is always something in flight, and some of
/// them badly at first, so that there is something to say of health.
script slowly(const arrival& got) {
  if (got.find("X-Postrider-Attempt") == "0"
      && std::stoi(got.find("X-Postrider-Sequence")) % 7 == 0)
    return answer(503);
  return {
      {step::kind::pause, "", 100ms},
      {step::kind::write, "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n", {}},
      {step::kind::keep, "", {}}};
}

using kinds = std::vector<std::string>;

/// Whether actors of a kind get many messages.
bool is_busy(const std::string& kind) {
  static const std::set<std::string> calm{
      "health_store", "query_store",     "sampler", "lease_store",
      "janitor",      "node_supervisor", "listener"};
  return !calm.contains(kind);
}

void fail_each(const kinds& which) {
  fault_bench bench{slowly};
  std::string failpoints;
  auto dice =
      dice_for(std::hash<std::string>{}(fmt::to_string(fmt::join(which, " "))));
  for (const auto& one : which)
    failpoints += fmt::format("actor.{}=throw(1,{},1);", one,
                              2 + dice() % (is_busy(one) ? 40 : 2));
  const std::map<std::string, std::string> settings{
      {"HEALTH__DEGRADED_AFTER", "1000"}, {"HEALTH__FAILURE_RATIO", "2"}};
  bench.start("", settings);
  for (int i = 0; i < 3; ++i)
    bench.endpoint(R"("retry":"50ms 50ms 50ms 50ms")");
  bench.kill(bench.node(), bench.name());
  auto& node = bench.start(failpoints, settings);
  const auto struck = [&](const std::string& one) {
    return node.log().find("failpoint actor." + one) != std::string::npos;
  };
  // Until each has failed, in the middle of work.
  int sent = 0;
  while (sent < 48 || (sent < 3'000 && !std::ranges::all_of(which, struck))) {
    if (!bench.insist(fmt::format("k{}", sent), fmt::format("s{}", sent % 8),
                      20s)) {
      ADD_FAILURE() << "not accepted" << node.log();
      break;
    }
    ++sent;
    // A question that meets a failing actor is to be asked again.
    if (sent % 10 == 0) {
      EXPECT_NE(bench.here().call("GET", "/v1/endpoints").status, 500);
    }
  }
  for (const auto& one : which)
    EXPECT_TRUE(struck(one)) << one;
  EXPECT_TRUE(bench.drained()) << node.log();
  const auto verdicts = bench.judge();
  EXPECT_TRUE(holds(verdicts)) << bench.said() << node.log();
  EXPECT_EQ(number_of(verdicts, "I2", "U1"), 0) << node.log();
  put_on_record("A-10",
                which.empty()
                    ? "none"
                    : fmt::format("an exception in {}", fmt::join(which, ", ")),
                static_cast<std::int64_t>(which.size()), verdicts);
}

// A-10, G6: an actor that fails costs no delivery and no duplicate; the others
// go on, and its successor with what it had.
TEST(ActorFailure, LosesAndRepeatsNothing) {
  in_parallel<kinds>(
      {{},
       {"partition", "settler", "read_store", "ingester"},
       {"reader", "breaker", "lease_store", "query_store"},
       {"node_supervisor", "settle_store", "ingest_store", "sampler"},
       {"http_worker", "health_store", "partition", "listener"}},
      fail_each);
}

// Past an intensity the process ends and says so: its supervisor, or another
// node, goes on.
TEST(ActorFailure, ThatNeverEndsEndsTheProcess) {
  in_parallel<std::string>(
      {"actor.partition=throw(0.3)", "actor.reader=throw(0.1)",
       "actor.root_supervisor=throw(1,3,1)"},
      [](const std::string& failpoint) {
        fault_bench bench{slowly};
        bench.start();
        bench.endpoint();
        bench.kill(bench.node(), bench.name());
        auto& node = bench.start(failpoint, {}, false);
        for (int i = 0; i < 40 && node.wait(10ms) < 0; ++i)
          bench.send(fmt::format("k{}", i));
        EXPECT_EQ(node.wait(), 1) << failpoint << node.log();
        EXPECT_NE(node.log().find("giving up"), std::string::npos)
            << node.log();
        bench.mark("crash", bench.name());
        bench.start();
        for (int i = 0; i < 40; ++i)
          EXPECT_TRUE(bench.insist(fmt::format("k{}", i)));
        EXPECT_TRUE(bench.drained());
        const auto verdicts = bench.judge();
        EXPECT_TRUE(holds(verdicts)) << bench.said();
        put_on_record("A-10", "exceptions without end", 1, verdicts);
      });
}

} // namespace
} // namespace postrider::testing
