#include "store/database.hpp"

#include <gtest/gtest.h>

namespace postrider::store {
namespace {

// B-09
TEST(KnownServer, IsFollowedForwardThroughPromotionsOnly) {
  known_server seen;
  EXPECT_EQ(seen.judge({"7", 1}), "");
  EXPECT_EQ(seen.judge({"7", 1}), "");
  EXPECT_EQ(seen.judge({"7", 2}), "");
  EXPECT_NE(seen.judge({"7", 1}), "");
  EXPECT_EQ(seen.judge({"7", 2}), "");
}

TEST(KnownServer, IsNeverAnotherCluster) {
  known_server seen;
  EXPECT_EQ(seen.judge({"7", 1}), "");
  EXPECT_NE(seen.judge({"8", 1}), "");
  EXPECT_NE(seen.judge({"8", 9}), "");
  EXPECT_EQ(seen.judge({"7", 1}), "");
}

TEST(KnownServer, LeavesConnectionsOfAnOlderTimelineBehind) {
  known_server seen;
  EXPECT_FALSE(seen.overtaken(1));
  seen.judge({"7", 2});
  EXPECT_TRUE(seen.overtaken(1));
  EXPECT_FALSE(seen.overtaken(2));
  EXPECT_FALSE(seen.overtaken(0)); // not told
}

} // namespace
} // namespace postrider::store
