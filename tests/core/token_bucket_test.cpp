#include "core/token_bucket.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <vector>

namespace postrider {
namespace {

using namespace std::chrono_literals;
using time_point = token_bucket::time_point;
using std::chrono::nanoseconds;

constexpr time_point start{1'000h};

double burst_of(double rate) {
  return std::max(1.0, rate / 50);
}

struct given {
  time_point when;
  int many;
};

// The most that some span of time saw beyond what the rate allows for it.
double worst_excess(const std::vector<given>& all, double rate) {
  double worst = 0;
  for (std::size_t i = 0; i < all.size(); ++i) {
    double sum = 0;
    for (std::size_t j = i; j < all.size(); ++j) {
      sum += all[j].many;
      std::chrono::duration<double> span = all[j].when - all[i].when;
      worst = std::max(worst, sum - rate * span.count());
    }
  }
  return worst;
}

// Takes one whenever there is one.
int drained(token_bucket& bucket, time_point from, nanoseconds span) {
  int all = 0;
  for (auto now = from; now < from + span;) {
    all += bucket.take(1, now);
    if (auto next = bucket.next(now))
      now = *next;
  }
  return all;
}

TEST(TokenBucket, BeginsWithOneToken) {
  for (double rate : {0.1, 1.0, 10.0, 10'000.0}) {
    token_bucket bucket{rate, start};
    EXPECT_EQ(bucket.next(start), std::nullopt);
    EXPECT_EQ(bucket.take(100, start), 1) << rate;
    EXPECT_EQ(bucket.take(100, start), 0) << rate;
  }
}

TEST(TokenBucket, GivesTheWholeRateToWhoTakesAllTheTime) {
  for (int rate : {1, 2, 10, 100, 1'000, 10'000}) {
    token_bucket bucket{static_cast<double>(rate), start};
    EXPECT_EQ(drained(bucket, start, 10s), 10 * rate) << rate;
  }
}

TEST(TokenBucket, KeepsNoMoreThanABurstForTheIdle) {
  for (double rate : {0.5, 1.0, 49.0, 50.0, 100.0, 1'000.0, 100'000.0}) {
    token_bucket bucket{rate, start};
    EXPECT_EQ(bucket.take(1'000'000, start + 100h),
              static_cast<int>(burst_of(rate)))
        << rate;
    EXPECT_EQ(bucket.take(1, start + 100h), 0);
  }
}

TEST(TokenBucket, GivesNothingToWhoWantsNothing) {
  token_bucket bucket{10, start};
  EXPECT_EQ(bucket.take(0, start), 0);
  EXPECT_EQ(bucket.take(-3, start), 0);
  EXPECT_EQ(bucket.take(1, start), 1);
}

TEST(TokenBucket, KnowsHowLongASlowRateTakes) {
  token_bucket bucket{0.1, start};
  bucket.take(1, start);
  EXPECT_EQ(bucket.next(start), start + 10s);
  EXPECT_EQ(bucket.take(1, start + 10s - 1ns), 0);
  EXPECT_EQ(bucket.take(1, start + 10s), 1);
}

TEST(TokenBucket, WaitsADayForTheAbsurdlySlow) {
  for (double rate : {1e-9, 1e-300}) {
    token_bucket bucket{rate, start};
    EXPECT_EQ(bucket.take(1, start), 1);
    EXPECT_EQ(bucket.next(start), start + 24h);
  }
}

TEST(TokenBucket, SurvivesTheAbsurdlyFast) {
  token_bucket bucket{1e300, start};
  EXPECT_EQ(bucket.take(5, start + 1s), 5);
}

// Two threads may read the clock in one order and come in the other.
TEST(TokenBucket, GivesNothingExtraWhenTimeStepsBack) {
  token_bucket bucket{10, start};
  EXPECT_EQ(bucket.take(1, start + 1s), 1);
  EXPECT_EQ(bucket.take(1, start), 0);
  EXPECT_EQ(bucket.take(1, start - 1h), 0);
  EXPECT_EQ(bucket.next(start), start + 1100ms);
  EXPECT_EQ(bucket.take(1, start + 1099ms), 0);
  EXPECT_EQ(bucket.take(1, start + 1100ms), 1);
}

TEST(TokenBucket, MakesNoTokenOfANewRate) {
  token_bucket bucket{1, start};
  bucket.take(1, start);
  for (double rate : {1'000.0, 2.0, 100'000.0, 1.0}) {
    bucket.set_rate(rate, start);
    EXPECT_EQ(bucket.take(10, start), 0) << rate;
  }
  bucket.set_rate(100, start);
  EXPECT_EQ(bucket.next(start), start + 10ms);
}

TEST(TokenBucket, KeepsWhatFitsWhenTheRateSinks) {
  token_bucket bucket{1'000, start};
  auto later = start + 1s; // 20 are there
  bucket.set_rate(500, later);
  EXPECT_EQ(bucket.take(100, later), 10);
  bucket.set_rate(0.5, later + 1s);
  EXPECT_EQ(bucket.take(100, later + 1s), 1);
}

TEST(TokenBucket, KeepsAWholeTokenWhole) {
  for (double rate : {3.0, 7.0, 0.7, 333.3}) {
    token_bucket bucket{1'000, start};
    bucket.set_rate(rate, start);
    EXPECT_EQ(bucket.take(1, start), 1) << rate;
  }
}

RC_GTEST_PROP(TokenBucket, ExceedsTheRateInNoSpanByMoreThanABurst, ()) {
  auto rate = *rc::gen::elementOf(
      std::vector<double>{0.3, 1, 3, 7.5, 50, 333.3, 1'000, 99'999});
  auto count = *rc::gen::inRange(1, 120);
  token_bucket bucket{rate, start};
  auto now = start;
  std::vector<given> all;
  for (int i = 0; i < count; ++i) {
    auto scale = *rc::gen::elementOf(
        std::vector<std::int64_t>{1, 1'000, 1'000'000, 100'000'000});
    now += nanoseconds{*rc::gen::inRange<std::int64_t>(0, 30) * scale};
    auto wanted = *rc::gen::inRange(0, 3'000);
    auto many = bucket.take(wanted, now);
    RC_ASSERT(many >= 0 && many <= wanted);
    all.push_back({now, many});
  }
  RC_ASSERT(worst_excess(all, rate) <= burst_of(rate) + 1e-6);
}

RC_GTEST_PROP(TokenBucket, HasTheNextTokenThenAndNotBefore, ()) {
  auto rate = *rc::gen::inRange(1, 200'000) / 10.0;
  token_bucket bucket{rate, start};
  auto now = start;
  for (int i = 0; i < 30; ++i) {
    now += nanoseconds{*rc::gen::inRange<std::int64_t>(0, 50'000'000)};
    bucket.take(*rc::gen::inRange(0, 1'000), now);
    if (auto next = bucket.next(now)) {
      RC_ASSERT(*next > now);
      auto before = bucket;
      RC_ASSERT(before.take(1, *next - 1ns) == 0);
      auto then = bucket;
      RC_ASSERT(then.take(2, *next) == 1);
    } else {
      auto then = bucket;
      RC_ASSERT(then.take(1, now) == 1);
    }
  }
}

RC_GTEST_PROP(TokenBucket, MakesNoTokenOfManyNewRates, ()) {
  token_bucket bucket{1'000, start};
  auto there = bucket;
  auto before = there.take(1'000'000, start);
  auto count = *rc::gen::inRange(1, 30);
  for (int i = 0; i < count; ++i)
    bucket.set_rate(*rc::gen::inRange(1, 1'000'000) / 10.0, start);
  RC_ASSERT(bucket.take(1'000'000, start) <= before);
}

} // namespace
} // namespace postrider
