#include "app/latency.hpp"

#include <gtest/gtest.h>

namespace postrider::app {

using namespace std::chrono_literals;

TEST(Latency, IsZeroWithoutValues) {
  EXPECT_EQ(latency{}.quantile(0.5), 0us);
}

TEST(Latency, TellsQuantilesToFivePercent) {
  latency counted;
  for (int i = 1; i <= 1000; ++i)
    counted.add(std::chrono::milliseconds{i});
  EXPECT_GE(counted.quantile(0.5), 500ms);
  EXPECT_LE(counted.quantile(0.5), 525ms);
  EXPECT_GE(counted.quantile(0.99), 990ms);
  EXPECT_LE(counted.quantile(0.99), 1040ms);
}

TEST(Latency, HoldsTheSmallestAndTheLargest) {
  latency counted;
  counted.add(-5us);
  counted.add(std::chrono::hours{100});
  EXPECT_LE(counted.quantile(0.5), 11us);
  EXPECT_GT(counted.quantile(1.0), 1min);
}

} // namespace postrider::app
