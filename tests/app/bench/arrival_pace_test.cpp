#include "app/bench/arrival_pace.hpp"

#include <gtest/gtest.h>

namespace postrider::app {
namespace {

constexpr std::int64_t second = 1'000'000;
constexpr std::int64_t start = 7 * second;

TEST(ArrivalPace, CountsEachSecondSinceItsStart) {
  arrival_pace pace{start};
  for (const auto after : {-1, 0, 999'999, 1'000'000, 3'500'000})
    pace.arrived(start + after);
  EXPECT_EQ(pace.seconds(), (std::vector<std::uint64_t>{2, 1, 0, 1}));
}

TEST(ArrivalPace, FindsThePeakWhereverItsSecondBegins) {
  arrival_pace pace{start};
  for (const auto after :
       {0, 600'000, 900'000, 1'100'000, 1'599'999, 1'600'000})
    pace.arrived(start + after);
  EXPECT_EQ(pace.peak(), 4U) << "from 600 ms on; a second later is outside";
}

TEST(ArrivalPace, IsEmptyWhereNothingCame) {
  EXPECT_TRUE(arrival_pace{start}.seconds().empty());
  EXPECT_EQ(arrival_pace{start}.peak(), 0U);
}

} // namespace
} // namespace postrider::app
