#include "tests/faults/answers.hpp"
#include "tests/faults/fault_bench.hpp"
#include "tests/faults/fault_record.hpp"

#include <fmt/core.h>
#include <gtest/gtest.h>

#include <csignal>

namespace postrider::testing {
namespace {

using namespace std::chrono_literals;

/// A node ends by itself with this exit code and says this.
void ends(platform& here, std::map<std::string, std::string> settings, int code,
          const std::string& words) {
  try {
    auto& node = here.start(std::move(settings), false);
    EXPECT_EQ(node.wait(20s), code) << node.log();
    EXPECT_NE(node.log().find(words), std::string::npos) << node.log();
  } catch (const std::runtime_error& fault) {
    // It had not even got to its ports.
    EXPECT_NE(std::string{fault.what()}.find(words), std::string::npos)
        << fault.what();
  }
}

// what can't be right ends the process with a word that tells it. A
// database that is away: e2e/database_restart_test.cpp, wrong schemas:
// e2e/supervision_test.cpp.
TEST(BadStart, ThatCanNotBeRightEndsWithAClearWord) {
  fault_bench bench{at_once};
  auto& here = bench.here();
  auto& one = bench.start();
  const auto taken = fmt::format("127.0.0.1:{}", one.api_port());
  ends(here, {{"API__LISTEN", taken}}, 1, taken);
  ends(here, {{"ADMIN__LISTEN", taken}}, 1, taken);
  ends(here, {{"DELIVERY__HEARTBEAT", "19s"}}, 3, "delivery.heartbeat");
  ends(here, {{"NODE__ROLE", "boss"}}, 3, "\"boss\" is none of");
  ends(here, {{"HTTP__CA_FILE", "/nowhere/ca.pem"}}, 1, "/nowhere/ca.pem");
  EXPECT_EQ(here.call(one, "READY", "/readyz").status, 200);
  fault_record out{"A-17", "port taken, wrong configuration", 5};
  put_on_record(out);
}

// a node works on a schema that is one additive migration newer, beside
// one that has brought it; both can be rolled back to the older one.
TEST(BadStart, OnANewerSchemaThatOnlyAddsIsNoBadStart) {
  fault_bench bench{at_once};
  auto& first = bench.start();
  bench.endpoint();
  EXPECT_EQ(bench.send("before"), 201);
  // What the next version would do while the older ones run.
  bench.here().sql("insert into postrider.migration (number, name, checksum) "
                   "values (999, '0999_next', 'x') returning 1");
  for (const auto* table : {"event", "delivery", "attempt", "endpoint", "node",
                            "partition", "tenant"})
    bench.here().sql(fmt::format("alter table postrider.{0} add column added "
                                 "int default 7; select '{0}'",
                                 table));
  EXPECT_EQ(bench.send("beside"), 201);
  bench.start("", {}, true); // rolled back, and started again
  first.signal(SIGTERM);
  EXPECT_EQ(first.wait(), 0) << first.log();
  EXPECT_EQ(bench.send("after"), 201);
  EXPECT_TRUE(bench.drained()) << bench.node().log();
  for (const auto& one : bench.here().nodes())
    EXPECT_EQ(one->log().find("\"level\":\"error\""), std::string::npos)
        << one->log();
  const auto verdicts = bench.judge();
  EXPECT_TRUE(holds(verdicts)) << bench.said();
  put_on_record("A-09", "a schema that is one migration newer", 1, verdicts);
}

} // namespace
} // namespace postrider::testing
