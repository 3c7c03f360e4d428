#include "tests/faults/failpoint_rule.hpp"

#include <gtest/gtest.h>

#include <stdexcept>

namespace postrider::testing {
namespace {

using action = failpoint_rule::action;

std::vector<bool> hits(const char* text, int count) {
  auto rule = parse_failpoints(text).at(0);
  std::mt19937_64 dice{7};
  std::vector<bool> out;
  for (int i = 0; i < count; ++i)
    out.push_back(rule.hit(dice));
  return out;
}

TEST(FailpointRule, IsReadFromTheEnvironmentsText) {
  const auto rules =
      parse_failpoints("a.b=crash(1,3);c_d=sleep(0.5,2,50);e=drop");
  ASSERT_EQ(rules.size(), 3u);
  EXPECT_EQ(rules[0].name, "a.b");
  EXPECT_EQ(rules[0].what, action::crash);
  EXPECT_EQ(rules[0].from, 3u);
  EXPECT_EQ(rules[1].what, action::sleep);
  EXPECT_EQ(rules[1].chance, 0.5);
  EXPECT_EQ(rules[1].amount, 50u);
  EXPECT_EQ(rules[2].what, action::drop);
  EXPECT_TRUE(parse_failpoints("").empty());
}

TEST(FailpointRule, ThatCantBeReadIsNamed) {
  for (const auto* text : {"a", "a=", "a=burn", "a=crash(x)", "a=crash(1,2"})
    try {
      parse_failpoints(text);
      ADD_FAILURE() << text;
    } catch (const std::invalid_argument& fault) {
      EXPECT_NE(std::string{fault.what()}.find(text), std::string::npos);
    }
}

TEST(FailpointRule, ActsFromItsHitOnAndAtMostSoOften) {
  EXPECT_EQ(hits("a=error(1,3)", 5),
            (std::vector<bool>{false, false, true, true, true}));
  EXPECT_EQ(hits("a=throw(1,2,1)", 4),
            (std::vector<bool>{false, true, false, false}));
}

TEST(FailpointRule, ActsByChance) {
  const auto some = hits("a=error(0.3)", 1000);
  const auto struck = std::count(some.begin(), some.end(), true);
  EXPECT_GT(struck, 200);
  EXPECT_LT(struck, 400);
}

} // namespace
} // namespace postrider::testing
