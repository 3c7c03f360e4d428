#include "core/clock_skew.hpp"

#include <gtest/gtest.h>

namespace postrider {
namespace {

using namespace std::chrono_literals;

// TIME-03
TEST(ClockSkew, IsNotableAboveFiveSecondsAndTooLargeAboveSixty) {
  for (const int sign : {1, -1}) {
    for (const auto& good : {0ms, 1'000ms, 5'000ms})
      EXPECT_EQ(judge_clock(sign * good), clock_skew::none);
    for (const auto& off : {5'001ms, 30'000ms, 60'000ms})
      EXPECT_EQ(judge_clock(sign * off), clock_skew::notable);
    for (const auto& far : {60'001ms, 290'000ms, 310'000ms, 86'400'000ms})
      EXPECT_EQ(judge_clock(sign * far), clock_skew::too_large);
  }
}

} // namespace
} // namespace postrider
