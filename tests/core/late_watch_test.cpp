#include "core/late_watch.hpp"

#include <gtest/gtest.h>

#include <initializer_list>
#include <limits>
#include <optional>
#include <vector>

namespace postrider {
namespace {

class LateWatch : public ::testing::Test {
protected:
  std::optional<std::int64_t> saw(std::uint64_t xmax,
                                  std::initializer_list<std::uint64_t> running,
                                  std::int64_t cursor, std::uint64_t next = 0,
                                  std::optional<std::int64_t> gap = {}) {
    const std::vector<std::uint64_t> list{running};
    return watch_.saw({xmax, list, next}, cursor, gap.value_or(cursor));
  }

  late_watch watch_;
};

TEST_F(LateWatch, IsSilentWhileATransactionStaysOpen) {
  for (std::int64_t cursor = 10; cursor < 50; ++cursor) {
    saw(8, {7}, cursor);
    EXPECT_FALSE(watch_.take());
  }
  EXPECT_EQ(watch_.watched(), 1u);
}

TEST_F(LateWatch, TellsOnceHowFarBackAnEndedTransactionMayHaveWritten) {
  saw(8, {7}, 10);
  saw(8, {7}, 20);
  EXPECT_EQ(saw(9, {}, 30), 10);
  EXPECT_EQ(watch_.take(), 10);
  EXPECT_FALSE(watch_.take());
  EXPECT_EQ(watch_.watched(), 0u);
}

TEST_F(LateWatch, TellsTheLowestOfSeveral) {
  saw(8, {7}, 10);
  saw(9, {7, 8}, 20);
  saw(10, {7}, 30); // 8 has ended
  EXPECT_EQ(watch_.take(), 20);
  saw(10, {}, 40);
  EXPECT_EQ(watch_.take(), 10);
}

TEST_F(LateWatch, HoldsAnIdAboveTheSnapshotForRunning) {
  saw(8, {7}, 10);
  EXPECT_FALSE(saw(7, {}, 20)); // an older snapshot: 7 is not known there
  EXPECT_FALSE(watch_.take());
  EXPECT_EQ(watch_.watched(), 1u);
}

TEST_F(LateWatch, NeedsNoLookWhereARowOfEachIdWasSeen) {
  saw(8, {7}, 10, 10);
  EXPECT_EQ(watch_.running_from(), 10);
  EXPECT_EQ(saw(10, {}, 30, 10, 10), 10);
  EXPECT_FALSE(watch_.take());
  EXPECT_EQ(watch_.running_from(), std::numeric_limits<std::int64_t>::max());
}

TEST_F(LateWatch, LooksAgainWhereOneIdWasNotSeen) {
  saw(8, {7}, 10, 10); // 8 and 9 are not listed
  EXPECT_EQ(saw(10, {}, 30, 10, 11), 10);
  EXPECT_EQ(watch_.take(), 10);
}

// What it wrote is above the cursor and is read in the ordinary way.
TEST_F(LateWatch, NeedsNoLookForWhatIsStillToBeRead) {
  saw(8, {7}, 10);
  EXPECT_EQ(saw(9, {}, 10), 10);
  EXPECT_FALSE(watch_.take());
}

TEST_F(LateWatch, FollowsACursorThatIsSetBack) {
  saw(8, {7}, 50);
  watch_.restart(20);
  saw(9, {}, 60);
  EXPECT_EQ(watch_.take(), 20);
}

TEST_F(LateWatch, TakesBackWhatWasNotReadToItsEnd) {
  watch_.put_back(30);
  watch_.put_back(40);
  EXPECT_EQ(watch_.take(), 30);
}

// PostgreSQL lists nothing beyond the highest transaction that has ended.
TEST_F(LateWatch, WatchesWhatASnapshotDoesNotListUntilItTells) {
  saw(5, {}, 10, 8); // 5, 6 and 7 were given out
  saw(5, {}, 20, 8);
  EXPECT_FALSE(watch_.take());
  saw(7, {5}, 30, 8); // 6 has ended, 5 runs, 7 is not told of
  EXPECT_EQ(watch_.take(), 10);
  saw(8, {5}, 40, 8); // 7 has ended
  EXPECT_EQ(watch_.take(), 10);
  saw(9, {}, 50, 9); // 5 has ended
  EXPECT_EQ(watch_.take(), 10);
  EXPECT_EQ(watch_.watched(), 0u);
}

TEST_F(LateWatch, KnowsAnUnlistedTransactionByTheReadThatFirstSawItsId) {
  saw(5, {}, 10, 6);
  saw(5, {}, 20, 7); // 6 was given out since
  saw(7, {5}, 30, 7);
  EXPECT_EQ(watch_.take(), 20);
}

// A transaction takes an id for each savepoint.
TEST_F(LateWatch, KeepsAMillionUnlistedIdsInFewRanges) {
  std::uint64_t next = 10;
  for (std::int64_t cursor = 1; cursor <= 1'000; ++cursor)
    saw(5, {}, cursor, next += 1'000);
  EXPECT_LE(watch_.watched(), 64u);
  saw(next, {}, 2'000, next);
  EXPECT_EQ(watch_.take(), 1);
  EXPECT_EQ(watch_.watched(), 0u);
}

} // namespace
} // namespace postrider
