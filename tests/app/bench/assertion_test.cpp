#include "app/bench/assertion.hpp"

#include <gtest/gtest.h>

namespace postrider::app {
namespace {

bench_report measured() {
  bench_phase phase;
  phase.name = "run";
  phase.count = 1000;
  phase.used.seconds = 2;
  phase.used.wal = 700'000;
  phase.used.parts = {{"node", 0.02, 3 << 20}, {"postgresql", 0.01, 1 << 20}};
  log_histogram times;
  for (int i = 1; i <= 100; ++i)
    times.add(i * 1000);
  phase.latencies.emplace_back("arrived", times);
  bench_report report;
  report.phases.push_back(phase);
  return report;
}

bool met(const std::string& text) {
  bench_assertion one;
  EXPECT_EQ(parse_assertion(text, one), "") << text;
  auto report = measured();
  judge_assertion(one, report);
  EXPECT_EQ(report.good(), report.verdicts.at(0).met);
  return report.verdicts.at(0).met;
}

TEST(BenchAssertion, HoldsTheMetricAgainstTheBound) {
  EXPECT_TRUE(met("rate>=500"));
  EXPECT_FALSE(met("rate>500/s"));
  EXPECT_TRUE(met("p50<51ms"));
  EXPECT_FALSE(met("p50<50000us"));
  EXPECT_TRUE(met("p99.9<=100.1ms"));
  EXPECT_FALSE(met("max<0.1s"));
  EXPECT_TRUE(met("cpu<31us"));
  EXPECT_FALSE(met("cpu<29"));
  EXPECT_TRUE(met("memory<=4MiB"));
  EXPECT_TRUE(met("cpu.node<21us"));
  EXPECT_FALSE(met("cpu.node<19us"));
  EXPECT_TRUE(met("memory.postgresql<=1MiB"));
  EXPECT_FALSE(met("memory.node<3MiB"));
  EXPECT_TRUE(met("wal<=700"));
  EXPECT_FALSE(met("wal<700"));
}

TEST(BenchAssertion, SaysWhatIsWrongWithIt) {
  bench_assertion one;
  EXPECT_NE(parse_assertion("p99", one).find("p99<50ms"), std::string::npos);
  EXPECT_NE(parse_assertion("p98<5ms", one).find("no metric"),
            std::string::npos);
  EXPECT_NE(parse_assertion("cpu.nobody<5", one).find("cpu.postgresql"),
            std::string::npos);
  EXPECT_NE(parse_assertion("p99<5", one).find("us, ms or s"),
            std::string::npos);
  EXPECT_NE(parse_assertion("rate>fast", one).find("no number"),
            std::string::npos);
}

TEST(BenchAssertion, IsNotMetByAProcessThatWasNotMeasured) {
  bench_assertion one;
  ASSERT_EQ(parse_assertion("cpu.load<500000", one), "");
  auto report = measured();
  judge_assertion(one, report);
  EXPECT_FALSE(report.verdicts.at(0).met);
}

TEST(BenchAssertion, IsNotMetWhenNothingMeasuresIt) {
  bench_assertion one;
  ASSERT_EQ(parse_assertion("p99<5s", one), "");
  auto report = measured();
  report.phases[0].latencies.clear();
  judge_assertion(one, report);
  ASSERT_EQ(report.verdicts.size(), 1U);
  EXPECT_FALSE(report.verdicts[0].met);
}

} // namespace
} // namespace postrider::app
