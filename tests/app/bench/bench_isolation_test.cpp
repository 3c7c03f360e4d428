#include "tests/app/bench/bench_run.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace postrider::testing {
namespace {

using nlohmann::json;

const std::vector<std::string> short_sick{"sick",
                                          "--endpoints",
                                          "8",
                                          "--sick",
                                          "2",
                                          "--events",
                                          "400",
                                          "--rounds",
                                          "1",
                                          "--rate",
                                          "50",
                                          "--duration",
                                          "1s",
                                          "--set",
                                          "http.timeout=1s",
                                          "--set",
                                          "http.connect_timeout=1s"};

std::vector<std::string> with(std::vector<std::string> all,
                              const std::vector<std::string>& more) {
  all.insert(all.end(), more.begin(), more.end());
  return all;
}

TEST(BenchSick, ComparesHealthyEndpointsAloneAndBesideABlackHole) {
  const auto run = bench_on_given(
      with(short_sick, {"--keep-rate", "0", "--keep-p99", "1h"}));
  ASSERT_EQ(run.status, 0) << run.output;
  const auto& phases = run.report.at("phases");
  EXPECT_EQ(names_of(phases),
            (std::vector<std::string>{"alone: drain 1", "alone: steady",
                                      "beside: drain 1", "beside: steady"}));
  EXPECT_EQ(phases[0].at("count"), 400);
  EXPECT_EQ(phases[2].at("count"), 400);
  EXPECT_EQ(phases[1].at("latency_us").at("arrived").at("count"), 50);
  EXPECT_EQ(phases[3].at("latency_us").at("arrived").at("count"), 50);
  const auto& facts = phases[3].at("facts");
  EXPECT_GT(facts.at("black_hole_requests"), 0);
  EXPECT_GE(facts.at("rate_percent_of_alone"), 0);
  expect_delivered(facts);
  EXPECT_EQ(run.report.at("asserts").size(), 2U);
}

TEST(BenchSick, FailsWhenMoreIsLostThanWasToBeKept) {
  // Nobody gets a thousand times faster beside others.
  const auto run = bench_on_given(
      with(short_sick, {"--keep-rate", "100000", "--keep-p99", "1h"}));
  EXPECT_EQ(run.status, 8) << run.output;
  EXPECT_NE(run.output.find("NOT MET: rate"), std::string::npos) << run.output;
}

TEST(BenchSick, WantsSomeEndpointsToBeHealthy) {
  const auto run =
      postrider({"bench", "sick", "--endpoints", "4", "--sick", "4"});
  EXPECT_EQ(run.status, 2);
  EXPECT_NE(run.output.find("healthy"), std::string::npos) << run.output;
}

TEST(BenchNeighbour, MeasuresNineTenantsAloneAndBesideABacklog) {
  const auto run = bench_on_given({"neighbour", "--endpoints", "4", "--backlog",
                                   "20000", "--payload", "128", "--duration",
                                   "1s", "--keep-p99", "1h"});
  ASSERT_EQ(run.status, 0) << run.output;
  const auto& phases = run.report.at("phases");
  EXPECT_EQ(names_of(phases),
            (std::vector<std::string>{"alone", "beside a backlog"}));
  // A second of nine times twenty.
  EXPECT_EQ(phases[0].at("latency_us").at("arrived").at("count"), 180);
  EXPECT_GT(phases[1].at("latency_us").at("arrived").at("count"), 0);
  const auto& facts = phases[1].at("facts");
  EXPECT_GT(facts.at("unique"), 20'000);
  EXPECT_TRUE(facts.contains("backlog_left"));
  EXPECT_TRUE(facts.contains("p99_us_above_alone"));
  expect_delivered(facts);
}

TEST(BenchSkew, MeasuresTheOthersAloneAndBesideAHotTenant) {
  const auto run =
      bench_on_given({"skew", "--endpoints", "8", "--hot-endpoints", "2",
                      "--rate", "300", "--duration", "1s", "--keep-p99", "1h"});
  ASSERT_EQ(run.status, 0) << run.output;
  const auto& phases = run.report.at("phases");
  EXPECT_EQ(names_of(phases),
            (std::vector<std::string>{"alone", "beside the hot one"}));
  // A tenth of the load: what is hot is delivered and has no part in them.
  EXPECT_EQ(phases[0].at("latency_us").at("arrived").at("count"), 30);
  EXPECT_EQ(phases[1].at("latency_us").at("arrived").at("count"), 30);
  const auto& facts = phases[1].at("facts");
  EXPECT_GT(facts.at("hot_sent"), 270);
  EXPECT_EQ(run.report.at("asserts").size(), 1U);
  expect_all_delivered(facts, 90 + facts.at("hot_sent").get<int>());
}

TEST(BenchSkew, FailsWhenSomethingCameTwice) {
  const auto run = bench_on_given(
      {"skew", "--endpoints", "4", "--rate", "300", "--duration", "1s",
       "--keep-p99", "1h", "--receiver-fault", "repeat", "--by", "sql"});
  EXPECT_EQ(run.status, 8) << run.output;
  EXPECT_NE(run.output.find("more than once"), std::string::npos);
}

TEST(BenchComeback, ShowsTheRampAndThePeakOfAReceiverThatIsBack) {
  const auto run =
      bench({"comeback", "--rate", "200", "--held", "400", "--payload", "128"});
  ASSERT_FALSE(run.report.is_null()) << run.output;
  EXPECT_EQ(run.report.at("faults"), json::array()) << run.output;
  const auto& facts = run.report.at("phases").at(0).at("facts");
  EXPECT_GE(facts.at("held"), 400);
  EXPECT_GT(facts.at("turned_away"), 0);
  EXPECT_GE(facts.at("health_down"), 1);
  EXPECT_GE(facts.at("health_up"), 1);
  EXPECT_GT(facts.at("peak_second"), 0);
  EXPECT_TRUE(facts.contains("second_1"));
  expect_delivered(facts);
}

TEST(BenchComeback, FailsWhenWhatWasHeldNeverArrives) {
  const auto run =
      bench_on_given({"comeback", "--rate", "500", "--held", "400",
                      "--receiver-fault", "drop", "--fault-seed", "7"});
  EXPECT_EQ(run.status, 8) << run.output;
  EXPECT_NE(run.output.find("never arrived"), std::string::npos);
  EXPECT_NE(run.output.find("attempts are on record as sent"),
            std::string::npos);
}

} // namespace
} // namespace postrider::testing
