#include "tests/app/bench/bench_run.hpp"

#include <gtest/gtest.h>

namespace postrider::testing {
namespace {

TEST(BenchFanout, SettlesEachEventAtEveryEndpoint) {
  const auto run =
      bench_on_given({"fanout", "--endpoints", "40", "--events", "2",
                      "--within", "1m", "--verify-every", "2"});
  ASSERT_EQ(run.status, 0) << run.output;
  const auto& phases = run.report.at("phases");
  EXPECT_EQ(names_of(phases), (std::vector<std::string>{"event 1", "event 2"}));
  for (const auto& one : phases) {
    EXPECT_EQ(one.at("count"), 40);
    EXPECT_EQ(one.at("latency_us").at("arrived").at("count"), 40);
  }
  expect_all_delivered(phases[1].at("facts"), 80);
}

TEST(BenchFanout, FailsWhenTheLastOneIsLate) {
  const auto run = bench_on_given(
      {"fanout", "--endpoints", "4", "--events", "1", "--within", "1ms"});
  EXPECT_EQ(run.status, 8) << run.output;
  EXPECT_NE(run.output.find("NOT MET: settled within 1 ms"), std::string::npos)
      << run.output;
}

TEST(BenchSlowReceiver, HasAllRequestsInFlightAndThenAllAnswered) {
  const auto run =
      bench_on_given({"slow-receiver", "--in-flight", "60", "--verify-every",
                      "2", "--keep-memory", "4000"});
  ASSERT_EQ(run.status, 0) << run.output;
  const auto& phase = run.report.at("phases").at(0);
  const auto& facts = phase.at("facts");
  EXPECT_EQ(phase.at("count"), 60);
  EXPECT_EQ(facts.at("in_flight"), 60);
  EXPECT_GT(facts.at("node_bytes_in_flight"), 1 << 20);
  expect_all_delivered(facts, 60);
}

TEST(BenchSlowReceiver, FailsWhenTheNodeHoldsMore) {
  const auto run = bench_on_given(
      {"slow-receiver", "--in-flight", "4", "--keep-memory", "1"});
  EXPECT_EQ(run.status, 8) << run.output;
  EXPECT_NE(run.output.find("NOT MET: node within 1 MiB"), std::string::npos)
      << run.output;
}

TEST(BenchRetryStorm, TakesEveryRetryUntilAllHasArrived) {
  const auto run = bench_on_given({"retry-storm", "--endpoints", "16",
                                   "--events", "400", "--failures", "2"});
  ASSERT_EQ(run.status, 0) << run.output;
  const auto& phases = run.report.at("phases");
  EXPECT_EQ(names_of(phases),
            (std::vector<std::string>{"attempt 1", "attempt 2", "attempt 3"}));
  const auto& facts = phases[2].at("facts");
  EXPECT_EQ(facts.at("retries"), 800);
  EXPECT_EQ(facts.at("turned_away"), 800);
  EXPECT_EQ(facts.at("attempts"), 1200);
  expect_all_delivered(facts, 400);
}

TEST(BenchRetryStorm, WantsNoEndpointToFallSick) {
  const auto run = postrider(
      {"bench", "retry-storm", "--endpoints", "1", "--events", "1000"});
  EXPECT_EQ(run.status, 2);
  EXPECT_NE(run.output.find("thousand"), std::string::npos) << run.output;
}

TEST(BenchIdle, CountsWhatEndpointsCostThatNothingComesFor) {
  const auto run = bench_on_given(
      {"idle", "--idle", "300", "--endpoints", "8", "--rate", "100",
       "--duration", "1s", "--keep-bytes", "1000000", "--keep-p99", "1h"});
  ASSERT_EQ(run.status, 0) << run.output;
  const auto& phases = run.report.at("phases");
  EXPECT_EQ(names_of(phases),
            (std::vector<std::string>{"alone", "beside idle endpoints"}));
  EXPECT_EQ(phases[0].at("latency_us").at("arrived").at("count"), 100);
  EXPECT_EQ(phases[1].at("latency_us").at("arrived").at("count"), 100);
  const auto& facts = phases[1].at("facts");
  EXPECT_GT(facts.at("node_bytes_beside"), 1 << 20);
  EXPECT_TRUE(facts.contains("bytes_each"));
  expect_all_delivered(facts, 300);
}

TEST(BenchDeep, DrainsAPartOfADeepBacklogBesideHeldRowsAndASnapshot) {
  const auto run = bench_on_given({"deep", "--endpoints", "16", "--backlog",
                                   "3000", "--drain", "500", "--held", "200",
                                   "--snapshot", "--keep-cpu", "1000000"});
  ASSERT_EQ(run.status, 0) << run.output;
  const auto& phases = run.report.at("phases");
  EXPECT_EQ(names_of(phases),
            (std::vector<std::string>{"small backlog", "deep backlog"}));
  EXPECT_EQ(phases[0].at("count"), 500);
  EXPECT_GE(phases[1].at("count"), 500);
  const auto& facts = phases[1].at("facts");
  EXPECT_EQ(facts.at("backlog"), 3000);
  EXPECT_GE(facts.at("unique"), 1000);
  EXPECT_EQ(facts.at("requests"), facts.at("attempts_sent"));
}

TEST(BenchDeep, FailsWhenSomethingCameTwice) {
  const auto run = bench_on_given(
      {"deep", "--endpoints", "16", "--backlog", "600", "--drain", "300",
       "--receiver-fault", "repeat", "--fault-seed", "7", "--keep-cpu", "1e6"});
  EXPECT_EQ(run.status, 8) << run.output;
  EXPECT_NE(run.output.find("more than once"), std::string::npos);
}

TEST(BenchNodes, DeliversTheSameWithOneNodeAndWithThree) {
  const auto run = bench_on_given(
      {"nodes", "--endpoints", "16", "--events", "600", "--keep-cpu", "1e6"});
  ASSERT_EQ(run.status, 0) << run.output;
  const auto& phases = run.report.at("phases");
  EXPECT_EQ(names_of(phases), (std::vector<std::string>{"1 node", "3 nodes"}));
  EXPECT_TRUE(phases[1].at("cpu_us_each").contains("node 3"));
  EXPECT_GT(phases[1].at("facts").at("cpu_percent_of_one_node"), 0);
  expect_all_delivered(phases[1].at("facts"), 1200);
}

TEST(BenchNodes, FailsWhenSomethingCameTwiceBetweenThem) {
  const auto run = bench_on_given({"nodes", "--endpoints", "16", "--events",
                                   "600", "--receiver-fault", "repeat",
                                   "--fault-seed", "7", "--keep-cpu", "1e6"});
  EXPECT_EQ(run.status, 8) << run.output;
  EXPECT_NE(run.output.find("more than once"), std::string::npos);
}

TEST(Bench, HoldsARunAgainstTheReportOfAnEarlierOne) {
  const temporary_folder folder;
  const auto base = bench_on_given(
      {"fanout", "--endpoints", "8", "--events", "1", "--within", "1m"});
  ASSERT_EQ(base.status, 0) << base.output;
  const auto again = [&](nlohmann::json report, const std::string& most) {
    return bench_on_given({"fanout", "--endpoints", "8", "--events", "1",
                           "--within", "1m", "--compare",
                           folder.write("base.json", report.dump()),
                           "--tolerance", most});
  };
  auto report = base.report;
  const auto like = again(report, "1000000");
  EXPECT_EQ(like.status, 0) << like.output;
  EXPECT_FALSE(like.report.at("compared").empty());
  report["phases"][0]["memory_bytes"]["node"] = 1 << 20;
  const auto above = again(report, "50");
  EXPECT_EQ(above.status, 8) << above.output;
  EXPECT_NE(above.output.find("NOT MET: memory.node within 50 % of the base"),
            std::string::npos)
      << above.output;
  const auto other = postrider({"bench", "deliver", "--compare",
                                folder.write("base.json", report.dump())});
  EXPECT_EQ(other.status, 2);
  EXPECT_NE(other.output.find("bench fanout"), std::string::npos);
}

} // namespace
} // namespace postrider::testing
