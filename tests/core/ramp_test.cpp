#include "core/ramp.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace postrider {
namespace {

using namespace std::chrono_literals;
using std::chrono::milliseconds;

constexpr ramp::time_point start{1'000h};

TEST(Ramp, DoublesWithEachFullSecond) {
  ramp up{10, start};
  EXPECT_EQ(up.rate(start), 10);
  EXPECT_EQ(up.rate(start + 999ms), 10);
  EXPECT_EQ(up.rate(start + 1s), 20);
  EXPECT_EQ(up.rate(start + 1999ms), 20);
  EXPECT_EQ(up.rate(start + 2s), 40);
  EXPECT_EQ(up.rate(start + 9s), 5'120);
}

TEST(Ramp, IsDoneWhenItIsFastEnough) {
  ramp up{100, start};
  EXPECT_FALSE(up.done(start + 6s)); // 6'400
  EXPECT_TRUE(up.done(start + 7s));  // 12'800
  EXPECT_TRUE((ramp{10'001, start}.done(start)));
  EXPECT_FALSE((ramp{10'000, start}.done(start)));
}

TEST(Ramp, IsDoneAfterTenSecondsWithoutAFailure) {
  ramp up{1, start};
  EXPECT_FALSE(up.done(start + 9999ms));
  EXPECT_TRUE(up.done(start + 10s));
  up.failed(start + 2s);
  EXPECT_FALSE(up.done(start + 11999ms));
  EXPECT_TRUE(up.done(start + 12s));
}

TEST(Ramp, IsHalvedByAFailure) {
  ramp up{10, start};
  up.failed(start + 3s); // 80
  EXPECT_EQ(up.rate(start + 3s), 40);
  EXPECT_EQ(up.rate(start + 3999ms), 40);
  EXPECT_EQ(up.rate(start + 4s), 80);
}

// Those in flight fail together: that is one failure.
TEST(Ramp, IsHalvedOnceASecondAtMost) {
  ramp up{64, start};
  for (int i = 0; i < 10; ++i)
    up.failed(start + i * 99ms);
  EXPECT_EQ(up.rate(start + 900ms), 32);
  up.failed(start + 1s);
  EXPECT_EQ(up.rate(start + 1s), 16);
}

TEST(Ramp, GoesNoFasterWhileFailuresGoOn) {
  ramp up{1'024, start};
  int last = 1'024;
  for (auto now = start + 300ms; now < start + 20s; now += 300ms) {
    up.failed(now);
    EXPECT_LE(up.rate(now), last);
    last = up.rate(now);
  }
  EXPECT_EQ(last, 1);
}

TEST(Ramp, NeverGoesBelowOneASecond) {
  EXPECT_EQ((ramp{0, start}.rate(start)), 1);
  EXPECT_EQ((ramp{-5, start}.rate(start)), 1);
  ramp up{1, start};
  up.failed(start);
  EXPECT_EQ(up.rate(start), 1);
}

TEST(Ramp, SurvivesAHundredYears) {
  ramp up{10, start};
  EXPECT_GT(up.rate(start + 24h * 36'500), 10'000);
  up.failed(start + 24h * 36'500);
  EXPECT_GE(up.rate(start + 24h * 36'500), 5'000);
}

RC_GTEST_PROP(Ramp, IsExactlyTwiceAsFastASecondLater, ()) {
  ramp up{*rc::gen::inRange(1, 2'000), start};
  auto now = start;
  auto failures = *rc::gen::inRange(0, 8);
  for (int i = 0; i < failures; ++i) {
    now += milliseconds{*rc::gen::inRange(0, 3'000)};
    up.failed(now);
  }
  auto base = up.rate(now);
  for (int second = 0; base << second <= 10'000; ++second) {
    RC_ASSERT(up.rate(now + second * 1s) == base << second);
    RC_ASSERT(up.rate(now + second * 1s + 999ms) == base << second);
  }
}

TEST(Ramp, PassesWhatIsEnoughByNoMoreAfterAFailure) {
  ramp up{157, start};
  ramp free{157, start};
  up.failed(start);
  EXPECT_LE(up.rate(start + 9s), free.rate(start + 9s));
}

RC_GTEST_PROP(Ramp, IsNeverFasterThanOneWithoutFailures, ()) {
  auto first = *rc::gen::inRange(1, 2'000);
  ramp up{first, start};
  ramp free{first, start};
  auto now = start;
  for (int i = 0; i < 20; ++i) {
    now += milliseconds{*rc::gen::inRange(0, 2'000)};
    RC_ASSERT(up.rate(now) <= free.rate(now));
    RC_ASSERT(up.rate(now) >= 1);
    if (*rc::gen::arbitrary<bool>())
      up.failed(now);
  }
}

} // namespace
} // namespace postrider
