#include "app/bench/load_plan.hpp"

#include "app/bench/load_tally.hpp"
#include "app/bench/payload.hpp"

#include <gtest/gtest.h>

namespace postrider::app {
namespace {

TEST(LoadPlan, OfAnOpenLoopGivesEachEventItsMomentWhateverBecomesOfTheOthers) {
  load_plan plan{0, 3, 1000, 5'000'000};
  EXPECT_EQ(plan.next()->intended, 5'000'000);
  EXPECT_EQ(plan.next()->intended, 5'001'000);
  EXPECT_EQ(plan.next()->intended, 5'002'000);
  EXPECT_FALSE(plan.next());
}

TEST(LoadPlan, OfAClosedLoopGoesByTheClockOfWhoComes) {
  load_plan plan{7, 25, 10};
  const auto before = monotonic_now();
  const auto first = plan.next();
  ASSERT_TRUE(first);
  EXPECT_EQ(first->first, 7U);
  EXPECT_EQ(first->count, 10U);
  EXPECT_GE(first->intended, before);
  EXPECT_EQ(plan.next()->count, 10U);
  EXPECT_EQ(plan.next()->count, 5U);
  EXPECT_FALSE(plan.next());
}

TEST(LoadPlan, EndsEveryWait) {
  load_plan plan{0, 10, 1, monotonic_now() + 3'600'000'000};
  const auto one = plan.next();
  ASSERT_TRUE(one);
  plan.end();
  EXPECT_FALSE(plan.wait_for(*one));
  EXPECT_FALSE(plan.next());
}

TEST(LoadTally, CountsALateAnswerFromTheIntendedMoment) {
  load_tally tally;
  load_portion late;
  late.intended = monotonic_now() - 2'000'000;
  tally.accepted(late);
  EXPECT_GE(tally.latencies().max(), 2'000'000);
  EXPECT_NE(tally.accepted_at(0), 0);
  EXPECT_EQ(tally.accepted_at(1), 0);
}

} // namespace
} // namespace postrider::app
