#include "store/catalog.hpp"
#include "store/producer.hpp"
#include "tests/app/bench/bench_run.hpp"
#include "tests/support/eventually.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <csignal>
#include <filesystem>

namespace postrider::testing {
namespace {

using nlohmann::json;

void expect_sound(const json& phase, int count) {
  EXPECT_EQ(phase.at("count"), count) << phase;
  EXPECT_GT(phase.at("seconds"), 0.0);
  EXPECT_GT(phase.at("per_second"), 0.0);
  for (const auto* part : {"node", "postgresql", "receiver", "load"})
    EXPECT_GE(phase.at("cpu_us_each").at(part), 0.0) << part;
  EXPECT_GT(phase.at("cpu_us_each").at("all"), 0.0);
  EXPECT_GT(phase.at("memory_bytes").at("node"), 1 << 20);
  EXPECT_GT(phase.at("memory_bytes").at("postgresql"), 1 << 20);
  EXPECT_GT(phase.at("wal_bytes_each"), 0.0);
  EXPECT_GT(phase.at("busy_cores"), 0.0);
  EXPECT_GE(phase.at("other_cores"), 0.0);
}

void expect_delivered(const json& phase, int count) {
  const auto& facts = phase.at("facts");
  EXPECT_EQ(facts.at("unique"), count);
  EXPECT_EQ(facts.at("duplicates"), 0);
  EXPECT_EQ(facts.at("out_of_order"), 0);
  EXPECT_EQ(facts.at("forged"), 0);
  EXPECT_GT(facts.at("verified"), 0);
}

TEST(BenchDeliver, DrainsABacklogAndReportsWhatItCost) {
  const auto run = bench({"deliver", "--endpoints", "16", "--events", "3000"});
  ASSERT_EQ(run.status, 0) << run.output;
  EXPECT_EQ(run.report.at("scenario"), "deliver");
  EXPECT_EQ(run.report.at("good"), true);
  EXPECT_GE(run.report.at("machine").at("cores"), 1);
  EXPECT_EQ(run.report.at("postgresql").at("fsync"), "on");
  EXPECT_EQ(run.report.at("postgresql").at("synchronous_commit"), "on");
  EXPECT_EQ(run.report.at("settings").at("payload"), "1024");
  ASSERT_EQ(run.report.at("phases").size(), 1U);
  expect_sound(run.report["phases"][0], 3000);
  expect_delivered(run.report["phases"][0], 3000);
}

TEST(BenchIngest, AcceptsInEveryWayAndDeliversAllOfIt) {
  const auto run =
      bench_on_given({"ingest", "--endpoints", "16", "--events", "400",
                      "--batch", "50", "--connections", "4"});
  ASSERT_EQ(run.status, 0) << run.output;
  const auto& phases = run.report.at("phases");
  ASSERT_EQ(phases.size(), 5U);
  const std::vector<std::string> names{"http", "http batch", "sql",
                                       "sql batch"};
  for (std::size_t i = 0; i < names.size(); ++i) {
    EXPECT_EQ(phases[i].at("name"), names[i]);
    expect_sound(phases[i], 400);
    const auto& times = phases[i].at("latency_us").at("accepted");
    EXPECT_GT(times.at("p50"), 0);
    EXPECT_GE(times.at("max"), times.at("p99.9"));
  }
  expect_delivered(phases[4], 1600);
}

TEST(BenchE2e, MeasuresFromTheIntendedMomentAndChecksEveryEvent) {
  const auto run =
      bench_on_given({"e2e", "--endpoints", "16", "--rate", "200", "--duration",
                      "2s", "--warmup", "500ms", "--assert", "p50<20s"});
  ASSERT_EQ(run.status, 0) << run.output;
  EXPECT_EQ(run.report.at("asserts")[0].at("met"), true);
  const auto& phase = run.report.at("phases").at(0);
  EXPECT_EQ(phase.at("name"), "open loop");
  EXPECT_EQ(phase.at("latency_us").at("arrived").at("count"), 400);
  EXPECT_EQ(phase.at("latency_us").at("accepted").at("count"), 400);
  expect_delivered(phase, 500);
}

TEST(BenchE2e, CallsAClosedLoopByItsName) {
  const auto run = bench_on_given({"e2e", "--endpoints", "16", "--closed-loop",
                                   "--by", "sql", "--connections", "2",
                                   "--duration", "1s", "--warmup", "200ms"});
  ASSERT_EQ(run.status, 0) << run.output;
  EXPECT_EQ(run.report.at("phases").at(0).at("name"), "closed loop");
  EXPECT_NE(run.output.find("closed, 2 at a time"), std::string::npos);
}

TEST(BenchE2e, TellsAnOvertakingFromTheOrderAmongConcurrentProducers) {
  const auto run = bench_on_given({"e2e", "--endpoints", "16", "--rate", "150",
                                   "--duration", "3s", "--warmup", "100ms",
                                   "--receiver-fault", "reorder"});
  EXPECT_EQ(run.status, 8) << run.output;
  EXPECT_NE(run.output.find("out of order"), std::string::npos);
}

/// Whatever the receiver does wrong, the run tells.
class BenchWithABadReceiver
    : public ::testing::TestWithParam<std::pair<const char*, const char*>> {};

TEST_P(BenchWithABadReceiver, FailsAndSaysWhy) {
  const auto [fault, complaint] = GetParam();
  const auto run = bench_on_given(
      {"deliver", "--endpoints", "16", "--events", "2000", "--verify-every",
       "4", "--receiver-fault", fault, "--fault-seed", "7"});
  EXPECT_EQ(run.status, 8) << run.output;
  ASSERT_FALSE(run.report.is_null());
  EXPECT_EQ(run.report.at("good"), false);
  EXPECT_NE(run.report.at("faults").dump().find(complaint), std::string::npos)
      << run.report.at("faults");
}

INSTANTIATE_TEST_SUITE_P(
    Each, BenchWithABadReceiver,
    ::testing::Values(std::pair{"drop", "never arrived"},
                      std::pair{"repeat", "more than once"},
                      std::pair{"reorder", "out of order"},
                      std::pair{"forge", "signatures"}),
    [](const auto& each) { return std::string{each.param.first}; });

TEST(Bench, FailsWhenAnAssertionIsNotMet) {
  const auto run = bench_on_given({"deliver", "--endpoints", "16", "--events",
                                   "500", "--assert", "rate>100000000"});
  EXPECT_EQ(run.status, 8) << run.output;
  EXPECT_NE(run.output.find("NOT MET"), std::string::npos);
}

TEST(Bench, RefusesAnAssertionThatMakesNoSense) {
  const auto run = postrider({"bench", "deliver", "--assert", "p99<fast"});
  EXPECT_EQ(run.status, 2);
}

TEST(Bench, RefusesAWrongSettingBeforeAnythingStarts) {
  const auto run =
      postrider({"bench", "deliver", "--set", "delivery.windoww=5"});
  EXPECT_EQ(run.status, 3);
  EXPECT_NE(run.output.find("did you mean delivery.window"), std::string::npos);
}

TEST(Bench, WorksOnADatabaseThatItIsGivenAndTakesItsEndpointsAway) {
  const temporary_folder folder;
  const auto file =
      folder.write("url", postgres_server::shared().fresh_database() + "\n");
  for (int round = 0; round < 2; ++round) {
    const auto run = bench({"deliver", "--endpoints", "16", "--events", "300",
                            "--database-url-file", file});
    ASSERT_EQ(run.status, 0) << run.output;
    expect_delivered(run.report.at("phases").at(0), 300);
  }
}

TEST(Bench, RefusesADatabaseWithEventsOfOthers) {
  const temporary_folder folder;
  const auto url = postgres_server::shared().migrated_database();
  store::catalog{url}.put_tenant("acme", "");
  store::producer{url}.publish({"acme", "order.paid", "{}"});
  const auto file = folder.write("url", url);
  const auto run = bench({"deliver", "--endpoints", "16", "--events", "300",
                          "--database-url-file", file});
  EXPECT_EQ(run.status, 6);
  EXPECT_NE(run.output.find("--among-foreign-data"), std::string::npos);
  const auto told =
      bench({"deliver", "--endpoints", "16", "--events", "300",
             "--among-foreign-data", "--database-url-file", file});
  EXPECT_EQ(told.status, 0) << told.output;
}

TEST(Bench, LeavesNothingBehindWhenItIsInterrupted) {
  const temporary_folder folder;
  ::setenv("TMPDIR", folder.path().c_str(), 1);
  app::child running{{.arguments = {POSTRIDER_BINARY, "bench", "deliver",
                                    "--events", "50000000"},
                      .user = {},
                      .folder = {},
                      .log = (folder.path() / "log").string(),
                      .piped = true}};
  ::unsetenv("TMPDIR");
  const auto made = [&] {
    for (const auto& one : std::filesystem::directory_iterator{folder.path()})
      if (std::filesystem::exists(one.path() / "database-url"))
        return true;
    return false;
  };
  ASSERT_TRUE(eventually(made, std::chrono::seconds{60}));
  running.signal(SIGINT);
  EXPECT_EQ(running.wait(), 130);
  std::size_t left = 0;
  for ([[maybe_unused]] const auto& one :
       std::filesystem::directory_iterator{folder.path()})
    ++left;
  EXPECT_EQ(left, 1U) << "only its log";
}

} // namespace
} // namespace postrider::testing
