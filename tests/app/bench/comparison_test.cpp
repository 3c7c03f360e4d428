#include "app/bench/comparison.hpp"

#include <gtest/gtest.h>

#include <cstdio>
#include <fstream>

#include <unistd.h>

namespace postrider::app {
namespace {

bench_report measured(double cpu, std::int64_t memory, double seconds = 1) {
  bench_phase phase;
  phase.name = "deliver";
  phase.count = 1000;
  phase.used.seconds = seconds;
  phase.used.wal = 1'000'000;
  phase.used.parts = {{"node", cpu, memory}};
  bench_report report;
  report.scenario = "deliver";
  report.settings = {{"events", "1000"}};
  report.phases.push_back(phase);
  return report;
}

/// From a file that holds this.
std::string read(const std::string& text, bench_base& into) {
  const auto file = ::testing::TempDir() + "postrider-base-"
                    + std::to_string(::getpid()) + ".json";
  std::ofstream{file} << text;
  const auto wrong = read_base(file, into);
  std::remove(file.c_str());
  return wrong;
}

bench_base base_of(const bench_report& report) {
  bench_base base;
  EXPECT_EQ(read(to_json(report), base), "");
  return base;
}

TEST(BenchComparison, IsMetWithinTheToleranceAndNotAboveIt) {
  const auto base = base_of(measured(0.02, 100 << 20));
  auto close = measured(0.0219, 105 << 20);
  compare(base, 10, close);
  EXPECT_TRUE(close.good()) << to_text(close);
  auto dear = measured(0.0223, 105 << 20);
  compare(base, 10, dear);
  EXPECT_FALSE(dear.good());
  EXPECT_NE(to_text(dear).find("NOT MET: cpu within 10 % of the base"),
            std::string::npos)
      << to_text(dear);
  auto fat = measured(0.02, 111 << 20);
  compare(base, 10, fat);
  EXPECT_FALSE(fat.good());
}

TEST(BenchComparison, TellsTheRateAndDoesNotJudgeIt) {
  const auto base = base_of(measured(0.02, 100 << 20));
  auto slow = measured(0.02, 100 << 20, 4);
  compare(base, 0, slow);
  EXPECT_TRUE(slow.good()) << to_text(slow);
  EXPECT_NE(to_json(slow).find(R"("figure": "rate")"), std::string::npos);
  EXPECT_NE(to_text(slow).find("25 %"), std::string::npos) << to_text(slow);
}

TEST(BenchComparison, RefusesWhatCanNotBeCompared) {
  const auto base = base_of(measured(0.02, 100 << 20));
  auto other = measured(0.02, 100 << 20);
  other.settings = {{"events", "50"}};
  compare(base, 10, other);
  EXPECT_FALSE(other.good());
  auto without = measured(0.02, 100 << 20);
  without.phases[0].name = "something else";
  compare(base, 10, without);
  EXPECT_FALSE(without.good());
  EXPECT_NE(to_text(without).find("this run has not"), std::string::npos);
}

TEST(BenchComparison, SaysWhatIsWrongWithTheFile) {
  bench_base base;
  EXPECT_NE(read_base("/nowhere/base.json", base).find("can't be read"),
            std::string::npos);
  EXPECT_NE(read("[]", base).find("no report"), std::string::npos);
  EXPECT_NE(read("{", base).find("no report"), std::string::npos);
}

} // namespace
} // namespace postrider::app
