#include "core/retention.hpp"

#include <gtest/gtest.h>

namespace postrider {
namespace {

using namespace std::chrono;
using namespace std::chrono_literals;

constexpr day today = 2026y / November / 30;

TEST(Retention, KeepsADayWhileAnyOfItIsYoungEnough) {
  // The youngest of the 20th is from its last millisecond.
  EXPECT_EQ(first_kept(today + 0ms, days{10}), today - days{10});
  EXPECT_EQ(first_kept(today + 24h - 1ms, days{10}), today - days{10});
  EXPECT_EQ(first_kept(today + 24h, days{10}), today - days{9});
  EXPECT_EQ(first_kept(today + 5h, 1h), today);
  EXPECT_EQ(first_kept(today + 5h, 6h), today - days{1});
}

TEST(Retention, KeepsEverythingForASpanOfNothing) {
  EXPECT_EQ(first_kept(today, 0ms), std::nullopt);
  EXPECT_TRUE(past_days({today - days{9'000}}, std::nullopt).empty());
}

TEST(Retention, TakesPastDaysInTheirOrder) {
  EXPECT_EQ(past_days({today, today - days{1}, today - days{7}, today - days{3},
                       today - days{2}},
                      today - days{2}),
            (std::vector<day>{today - days{7}, today - days{3}}));
}

TEST(Retention, KeepsTheAttemptsOfWhatMayBeRetried) {
  retention_rules rules;
  rules.attempts = days{3};
  rules.dead_letters = days{8};
  EXPECT_EQ(attempts_kept(rules), days{8});
  rules.attempts = days{9};
  EXPECT_EQ(attempts_kept(rules), days{9});
  rules.dead_letters = 0ms; // for ever
  EXPECT_EQ(attempts_kept(rules), 0ms);
}

} // namespace
} // namespace postrider
