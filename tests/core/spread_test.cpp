#include "core/spread.hpp"

#include <gtest/gtest.h>

#include <array>
#include <vector>

namespace postrider {
namespace {

using namespace std::chrono_literals;

TEST(Spread, NeverWaitsLongerAndNeverMuchShorter) {
  std::minstd_rand dice{1};
  for (int i = 0; i < 10'000; ++i) {
    const auto wait = spread(80ms, dice);
    EXPECT_LE(wait, 80ms);
    EXPECT_GE(wait, 60ms);
  }
  EXPECT_EQ(spread(0ms, dice), 0ms);
}

// LEASE-15: fifty that start in the same millisecond and ask each second. A
// minute later no 50 ms of a second have more than a tenth of what is asked.
TEST(Spread, DrivesThoseApartThatBeganTogether) {
  std::array<int, 20> windows{};
  int all = 0;
  for (std::minstd_rand::result_type one = 1; one <= 50; ++one) {
    std::minstd_rand dice{one};
    for (std::chrono::nanoseconds at{0}; at < 180s; at += spread(1s, dice))
      if (at > 60s) {
        ++windows[static_cast<std::size_t>(at % 1s / 50ms)];
        ++all;
      }
  }
  for (const int many : windows)
    EXPECT_LE(many * 10, all);
}

} // namespace
} // namespace postrider
