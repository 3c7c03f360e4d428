#include "tests/faults/fault_bench.hpp"
#include "tests/faults/fault_record.hpp"

#include <fmt/core.h>
#include <gtest/gtest.h>

#include <csignal>

namespace postrider::testing {
namespace {

using namespace std::chrono_literals;

/// Accepts 20 events for one endpoint and 20 more for it and another, and one
/// between them that ends whoever begins its delivery to the first.
void accept_all(fault_bench& bench) {
  auto& front = bench.start("", {{"NODE__ROLE", "api"}});
  bench.send_to(front.api_port());
  bench.endpoint();
  const auto send = [&](int from) {
    for (int i = from; i < from + 20; ++i)
      EXPECT_EQ(bench.send(fmt::format("k{}", i), fmt::format("s{}", i % 4)),
                201);
  };
  send(0);
  EXPECT_EQ(
      bench.send_payload("p", fault_bench::payload_of("p"), "s1", "poison"),
      201);
  bench.endpoint();
  send(20);
}

std::string ended_as(fault_bench& bench, const std::string& outcome) {
  return bench.here().sql("select count(*) from postrider.attempt where final "
                          "and outcome = '"
                          + outcome + "'");
}

std::string reasons(fault_bench& bench) {
  return bench.here().sql("select string_agg(reason || ' ' || sent, ',') "
                          "from postrider.attempt where outcome = 'failed'");
}

script well(const arrival&) {
  return answer(204);
}

// A-14: after three actors it is failed, told apart by its reason, and the rest
// goes on, in order. When what was wrong is mended it can be retried.
TEST(Poison, ThatEndsItsActorIsFailedAndCanBeRetriedLater) {
  fault_bench bench{well};
  accept_all(bench);
  auto& node =
      bench.start("partition.begin.poison=throw", {{"NODE__ROLE", "worker"}});
  ASSERT_TRUE(bench.drained()) << node.log();
  EXPECT_EQ(reasons(bench), "crashed false");
  EXPECT_EQ(ended_as(bench, "succeeded"), "60");
  auto& here = bench.here();
  auto& front = *here.nodes().front();
  const auto listed =
      here.call(front, "GET", "/v1/dead-letters?reason=crashed");
  EXPECT_EQ(listed.status, 200);
  EXPECT_NE(listed.body.find("\"reason\":\"crashed\""), std::string::npos)
      << listed.body;
  const auto verdicts = bench.judge();
  EXPECT_TRUE(holds(verdicts)) << bench.said() << node.log();
  EXPECT_EQ(number_of(verdicts, "I2", "U1"), 0);
  put_on_record("A-14", "a delivery that ends its actor", 3, verdicts);
  node.signal(SIGTERM);
  node.wait();
  bench.start("", {{"NODE__ROLE", "worker"}});
  EXPECT_EQ(here.call(front, "POST", "/v1/dead-letters/retry",
                      R"({"reason":"crashed","expect_count":1})")
                .status,
            200);
  EXPECT_TRUE(bench.drained());
  EXPECT_EQ(ended_as(bench, "succeeded"), "61");
}

// A-14: nobody can tell at first who it was, so after two crashes the holders
// go carefully; after three more it is known.
TEST(Poison, ThatEndsTheProcessIsFoundAndFailed) {
  fault_bench bench{well};
  accept_all(bench);
  int crashes = 0;
  std::string log;
  for (bool found = false; !found && crashes < 9;) {
    auto& node = bench.start("partition.begin.poison=crash",
                             {{"NODE__ROLE", "worker"}}, false);
    // Either everything ends or the process does.
    while (!found && node.wait(200ms) < 0)
      found = bench.drained(20ms);
    if (!found) {
      bench.mark("crash", bench.name());
      ++crashes;
    }
    log = node.log();
  }
  EXPECT_EQ(crashes, 5) << log;
  EXPECT_EQ(reasons(bench), "crashed false");
  EXPECT_EQ(ended_as(bench, "succeeded"), "60");
  const auto verdicts = bench.judge();
  EXPECT_TRUE(holds(verdicts)) << bench.said() << log;
  put_on_record("A-14", "a delivery that ends its process", crashes, verdicts);
}

} // namespace
} // namespace postrider::testing
