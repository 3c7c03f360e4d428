#include "core/metering.hpp"

#include <gtest/gtest.h>

#include <thread>
#include <vector>

namespace postrider {
namespace {

using namespace std::chrono_literals;

TEST(Histogram, PutsAValueIntoTheFirstBoundThatIsNotBelowIt) {
  sizes of;
  for (const std::uint64_t value : {0, 256, 257, 1'048'576, 1'048'577})
    of.observe(value);
  distribution all;
  of.add_to(all);
  EXPECT_EQ(all.buckets, (std::vector<std::uint64_t>{2, 1, 0, 0, 0, 0, 1, 1}));
  EXPECT_EQ(all.sum, 256u + 257 + 1'048'576 + 1'048'577);
}

TEST(Histogram, CountsATimeBeforeZeroAsZero) {
  quick_times of;
  of.observe(-5s);
  of.observe(600us);
  distribution all;
  of.add_to(all);
  EXPECT_EQ(all.buckets[0], 1u);
  EXPECT_EQ(all.buckets[1], 1u);
  EXPECT_EQ(all.sum, 600'000u);
}

TEST(Histogram, AddsUpWithOthers) {
  numbers one;
  numbers other;
  one.observe(std::uint64_t{1});
  other.observe(std::uint64_t{1});
  other.observe(std::uint64_t{5'000});
  distribution all;
  one.add_to(all);
  other.add_to(all);
  EXPECT_EQ(all.buckets.front(), 2u);
  EXPECT_EQ(all.buckets.back(), 1u);
}

TEST(Count, LosesNothingBetweenThreads) {
  count of;
  std::vector<std::thread> all;
  for (int i = 0; i < 4; ++i)
    all.emplace_back([&] {
      for (int step = 0; step < 10'000; ++step)
        of.add();
    });
  for (auto& one : all)
    one.join();
  EXPECT_EQ(of.value(), 40'000u);
}

} // namespace
} // namespace postrider
