#include "core/fair_share.hpp"

#include <gtest/gtest.h>

namespace postrider {
namespace {

TEST(FairShare, GivesALoneNodeEverything) {
  EXPECT_EQ(fair_share_change(256, 1, 0), 256);
  EXPECT_EQ(fair_share_change(256, 1, 256), 0);
}

TEST(FairShare, GivesBackOnlyWhatIsAboveTheRoundedUpShare) {
  EXPECT_EQ(fair_share_change(256, 2, 256), -128);
  EXPECT_EQ(fair_share_change(256, 3, 86), 0);
  EXPECT_EQ(fair_share_change(256, 3, 85), 1);
}

TEST(FairShare, CountsAtLeastThisNode) {
  EXPECT_EQ(fair_share_change(8, 0, 3), 5);
}

// Whatever the numbers: all partitions find a place, none is asked for twice.
TEST(FairShare, CoversEveryPartition) {
  for (int partitions = 1; partitions <= 64; ++partitions)
    for (int nodes = 1; nodes <= 70; ++nodes) {
      const auto share = fair_share_change(partitions, nodes, 0);
      EXPECT_GE(share * nodes, partitions);
      EXPECT_LT((share - 1) * nodes, partitions);
      EXPECT_EQ(fair_share_change(partitions, nodes, share), 0);
    }
}

} // namespace
} // namespace postrider
