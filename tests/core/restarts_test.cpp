#include "core/restarts.hpp"

#include <gtest/gtest.h>

namespace postrider {
namespace {

using namespace std::chrono_literals;
using moment = restarts::clock::time_point;

constexpr restarts::limits three{3, 60s, 50ms, 150ms};

TEST(Restarts, WaitLongerEachTimeUpToABound) {
  restarts of{three};
  EXPECT_EQ(of.failed(moment{0s}), 50ms);
  EXPECT_EQ(of.failed(moment{1s}), 100ms);
  EXPECT_EQ(of.failed(moment{2s}), 150ms);
}

TEST(Restarts, GiveUpPastTheIntensity) {
  restarts of{three};
  for (auto at : {0s, 1s, 2s})
    EXPECT_TRUE(of.failed(moment{at}));
  EXPECT_FALSE(of.failed(moment{3s}));
}

TEST(Restarts, ForgetWhatIsLongAgo) {
  restarts of{three};
  for (auto at : {0s, 70s, 140s, 210s, 280s})
    EXPECT_EQ(of.failed(moment{at}), 50ms);
}

TEST(Restarts, CountWithinASlidingTime) {
  restarts of{three};
  for (auto at : {0s, 30s, 59s})
    EXPECT_TRUE(of.failed(moment{at}));
  EXPECT_TRUE(of.failed(moment{61s})); // the first one no longer counts
  EXPECT_FALSE(of.failed(moment{62s}));
}

TEST(Restarts, StayBoundedAfterVeryManyFailures) {
  restarts of{{1'000'000, 3'600s, 50ms, 5s}};
  for (int i = 0; i < 10'000; ++i)
    EXPECT_LE(*of.failed(moment{0s}), 5s);
}

} // namespace
} // namespace postrider
