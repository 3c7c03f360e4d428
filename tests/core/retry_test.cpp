#include "core/retry.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace postrider {
namespace {

using namespace std::chrono_literals;
using std::chrono::milliseconds;
using waits = std::vector<milliseconds>;

retry_policy any_policy() {
  retry_policy policy;
  policy.waits =
      *rc::gen::map(rc::gen::nonEmpty(rc::gen::container<std::vector<int>>(
                        rc::gen::inRange(1, 2'000'000'000))),
                    [](const std::vector<int>& counts) {
                      return waits(counts.begin(), counts.end());
                    });
  policy.max_attempts = *rc::gen::inRange(1, 100);
  policy.jitter_low = *rc::gen::inRange(0, 101) / 100.0;
  policy.jitter_high = policy.jitter_low + *rc::gen::inRange(0, 101) / 100.0;
  return policy;
}

double any_random() {
  return *rc::gen::inRange(0, 1'000'000) / 1e6;
}

TEST(RetryPolicy, DefaultCoversFourDays) {
  const auto* policy = find_retry_policy("default");
  ASSERT_TRUE(policy);
  retry_policy expected{
      {5s, 30s, 5min, 30min, 2h, 5h, 10h, 14h, 20h, 24h}, 11, 0.8, 1.2, 96h};
  EXPECT_EQ(*policy, expected);
}

// S1.29, S1.55
TEST(RetryPolicy, ShopWaitsExactly) {
  const auto* policy = find_retry_policy("shop");
  ASSERT_TRUE(policy);
  waits expected{5s, 30s, 5min, 30min, 4h};
  for (int made = 1; made <= 5; ++made)
    for (double random : {0.0, 0.5, 0.999})
      EXPECT_EQ(next_wait(*policy, made, random),
                expected[static_cast<std::size_t>(made) - 1]);
  EXPECT_EQ(next_wait(*policy, 6, 0.0), std::nullopt);
}

// S3.59, S3.61, S3.64
TEST(RetryPolicy, RailhookOutWaitsSixTimesWithinFourDays) {
  const auto* policy = find_retry_policy("railhook-out");
  ASSERT_TRUE(policy);
  retry_policy expected{{1min, 5min, 15min, 1h, 6h, 24h}, 7, 0.5, 1.5, 96h};
  EXPECT_EQ(*policy, expected);
  EXPECT_EQ(next_wait(*policy, 1, 0.0), 30s);
  EXPECT_EQ(next_wait(*policy, 1, 0.5), 60s);
  EXPECT_EQ(next_wait(*policy, 6, 0.0), 12h);
  EXPECT_EQ(next_wait(*policy, 7, 0.0), std::nullopt);
}

// S3.60: the last rung serves an endpoint that raises its count.
TEST(RetryPolicy, RailhookInUsesFourWaitsByDefault) {
  auto policy = *find_retry_policy("railhook-in");
  EXPECT_EQ(policy.max_age, 24h);
  EXPECT_EQ(next_wait(policy, 4, 0.5), 1h);
  EXPECT_EQ(next_wait(policy, 5, 0.5), std::nullopt);
  policy.max_attempts = 6;
  EXPECT_EQ(next_wait(policy, 5, 0.5), 6h);
}

TEST(RetryPolicy, FitsItsOwnAgeAtItsSlowest) {
  for (auto name : retry_policy_names()) {
    const auto& policy = *find_retry_policy(name);
    EXPECT_LE(slowest(policy), policy.max_age) << name;
    EXPECT_GT(slowest(policy), 1h) << name;
  }
}

TEST(RetryPolicy, IsFoundByEachNameItTells) {
  auto names = retry_policy_names();
  EXPECT_EQ(names.size(), 4u);
  for (auto name : names)
    EXPECT_EQ(*parse_retry_policy(name), *find_retry_policy(name));
  EXPECT_FALSE(find_retry_policy("Default"));
}

TEST(RetryPolicy, ReadsAListOfWaits) {
  auto policy = parse_retry_policy("5s  30s 250ms");
  ASSERT_TRUE(policy);
  retry_policy expected{{5s, 30s, 250ms}, 4, 1.0, 1.0, 96h};
  EXPECT_EQ(*policy, expected);
}

TEST(RetryPolicy, GivesALongListTwiceItsSum) {
  EXPECT_EQ(parse_retry_policy("48h")->max_age, 96h);
  EXPECT_EQ(parse_retry_policy("3d 1h")->max_age, 146h);
}

TEST(RetryPolicy, RefusesWhatIsNeitherNameNorList) {
  std::string fifty;
  for (int i = 0; i < 50; ++i)
    fifty += "1s ";
  EXPECT_TRUE(parse_retry_policy(fifty));
  for (const auto& text :
       {std::string{}, std::string{" "}, fifty + "1s", std::string{"5s,30s"},
        std::string{"5s\t30s"}, std::string{"fast"}, std::string{"default 5s"}})
    EXPECT_FALSE(parse_retry_policy(text)) << text;
}

TEST(Duration, ReadsEachUnit) {
  EXPECT_EQ(parse_duration("1ms"), 1ms);
  EXPECT_EQ(parse_duration("90s"), 90s);
  EXPECT_EQ(parse_duration("15m"), 15min);
  EXPECT_EQ(parse_duration("24h"), 24h);
  EXPECT_EQ(parse_duration("30d"), 720h);
}

TEST(Duration, RefusesTheMalformedAndTheOutOfRange) {
  for (auto text : {"",
                    "5",
                    "s",
                    "-5s",
                    "+5s",
                    " 5s",
                    "5s ",
                    "5 s",
                    "1.5s",
                    "5S",
                    "5us",
                    "5min",
                    "0s",
                    "0ms",
                    "31d",
                    "2592000001ms",
                    "721h",
                    "18446744073709551615d",
                    "99999999999999999999s",
                    "1e3s",
                    "0x10s"})
    EXPECT_FALSE(parse_duration(text)) << text;
}

RC_GTEST_PROP(Duration, SurvivesMadeUpText, (const std::string& text)) {
  if (auto duration = parse_duration(text))
    RC_ASSERT(*duration >= 1ms && *duration <= 720h);
  parse_retry_policy(text);
}

TEST(NextWait, RepeatsTheLastWait) {
  retry_policy policy{{1s, 2s}, 5, 1.0, 1.0, 96h};
  EXPECT_EQ(next_wait(policy, 2, 0.0), 2s);
  EXPECT_EQ(next_wait(policy, 4, 0.0), 2s);
  EXPECT_EQ(next_wait(policy, 5, 0.0), std::nullopt);
}

TEST(NextWait, GivesNoneToAPolicyWithoutWaits) {
  EXPECT_EQ(next_wait({{}, 5, 1.0, 1.0, 96h}, 1, 0.0), std::nullopt);
}

RC_GTEST_PROP(NextWait, StaysWithinTheJitter, ()) {
  auto policy = any_policy();
  auto made = *rc::gen::inRange(1, 100);
  auto wait = next_wait(policy, made, any_random());
  RC_ASSERT(wait.has_value() == (made < policy.max_attempts));
  if (!wait)
    return;
  auto rung = std::min(static_cast<std::size_t>(made), policy.waits.size());
  auto base = static_cast<double>(policy.waits[rung - 1].count());
  auto count = static_cast<double>(wait->count());
  RC_ASSERT(count >= 0);
  RC_ASSERT(count >= base * policy.jitter_low - 0.5);
  RC_ASSERT(count <= base * policy.jitter_high + 0.5);
}

// RESP-10: attempts per delivery never above the ladder's length.
RC_GTEST_PROP(NextWait, EndsAtMaxAttempts, ()) {
  auto policy = any_policy();
  int attempts = 1;
  while (next_wait(policy, attempts, any_random()))
    ++attempts;
  RC_ASSERT(attempts == policy.max_attempts);
}

} // namespace
} // namespace postrider
