#include "app/bench/log_histogram.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

namespace postrider::app {
namespace {

TEST(LogHistogram, SaysNothingOfNothing) {
  const log_histogram empty;
  EXPECT_EQ(empty.count(), 0U);
  EXPECT_EQ(empty.quantile(0.99), 0);
  EXPECT_EQ(empty.max(), 0);
}

TEST(LogHistogram, IsExactForSmallValues) {
  log_histogram times;
  for (int micros = 1; micros <= 1000; ++micros)
    times.add(micros);
  EXPECT_EQ(times.quantile(0.5), 500);
  EXPECT_EQ(times.quantile(0.99), 990);
  EXPECT_EQ(times.quantile(0.999), 999);
  EXPECT_EQ(times.quantile(1), 1000);
}

TEST(LogHistogram, StaysWithinAThousandthOfTheTrueQuantile) {
  std::mt19937_64 dice{7};
  std::lognormal_distribution<double> spread{9, 2};
  log_histogram times;
  std::vector<std::int64_t> all;
  for (int i = 0; i < 100'000; ++i) {
    all.push_back(std::llround(spread(dice)));
    times.add(all.back());
  }
  std::sort(all.begin(), all.end());
  for (const double share : {0.01, 0.5, 0.9, 0.99, 0.999, 1.0}) {
    const auto rank = static_cast<std::size_t>(
        std::ceil(static_cast<double>(all.size()) * share));
    const auto exact = static_cast<double>(all[rank - 1]);
    EXPECT_NEAR(static_cast<double>(times.quantile(share)), exact,
                exact * 0.001 + 1)
        << share;
  }
  EXPECT_EQ(times.max(), all.back());
}

TEST(LogHistogram, KeepsWhatIsOutOfItsRangeAtTheEdge) {
  log_histogram times;
  times.add(-5);
  EXPECT_EQ(times.quantile(1), 0);
  times.add(std::int64_t{1} << 50);
  EXPECT_EQ(times.count(), 2U);
  EXPECT_EQ(times.max(), (std::int64_t{1} << 36) - 1);
}

TEST(LogHistogram, ComesUnchangedThroughAnotherProcess) {
  log_histogram here;
  log_histogram there;
  for (int i = 1; i < 5000; i += 3)
    there.add(i * i);
  ASSERT_TRUE(here.unpack(there.pack()));
  EXPECT_EQ(here.count(), there.count());
  EXPECT_EQ(here.max(), there.max());
  for (const double share : {0.1, 0.5, 0.99})
    EXPECT_EQ(here.quantile(share), there.quantile(share));
}

TEST(LogHistogram, RefusesATextThatIsNone) {
  log_histogram times;
  for (const auto* text : {"", "x", "5 1", "5 1:", "5 99999999:1", "5,1:1"})
    EXPECT_FALSE(times.unpack(text)) << text;
  EXPECT_EQ(times.count(), 0U);
}

} // namespace
} // namespace postrider::app
