#include "core/fair_share.hpp"

#include <gtest/gtest.h>

namespace postrider {
namespace {

TEST(FairShare, GivesALoneNodeEverything) {
  EXPECT_EQ(fair_share_change(256, 1, 0, 0), 256);
  EXPECT_EQ(fair_share_change(256, 1, 0, 256), 0);
}

TEST(FairShare, GivesBackWhatIsAboveTheShare) {
  EXPECT_EQ(fair_share_change(256, 2, 0, 256), -128);
  EXPECT_EQ(fair_share_change(256, 2, 1, 0), 128);
}

TEST(FairShare, LeavesTheRemainderToTheFirst) {
  EXPECT_EQ(fair_share_change(256, 3, 0, 86), 0);
  EXPECT_EQ(fair_share_change(256, 3, 1, 86), -1);
  EXPECT_EQ(fair_share_change(256, 3, 2, 84), 1);
}

TEST(FairShare, CountsAtLeastThisNode) {
  EXPECT_EQ(fair_share_change(8, 0, 0, 3), 5);
}

// Whatever the numbers: the shares are all partitions, and as even as can be.
TEST(FairShare, CoversEveryPartitionOnce) {
  for (int partitions = 1; partitions <= 64; ++partitions)
    for (int nodes = 1; nodes <= 70; ++nodes) {
      int sum = 0;
      for (int rank = 0; rank < nodes; ++rank) {
        const auto share = fair_share_change(partitions, nodes, rank, 0);
        EXPECT_GE(share, partitions / nodes);
        EXPECT_LE(share, partitions / nodes + 1);
        sum += share;
      }
      EXPECT_EQ(sum, partitions);
    }
}

} // namespace
} // namespace postrider
