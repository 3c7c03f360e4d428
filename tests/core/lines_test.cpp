#include "core/lines.hpp"

#include <gtest/gtest.h>

namespace postrider {
namespace {

using id_list = std::vector<std::int64_t>;

class Lines : public ::testing::Test {
protected:
  void add(std::int64_t id, std::int64_t endpoint = 1,
           std::int64_t stream = 0) {
    delivery row;
    row.id = id;
    row.endpoint = endpoint;
    row.stream = stream;
    lines_.add(row);
  }

  id_list take_all() {
    id_list out;
    while (const auto next = lines_.take())
      out.push_back(next->id);
    return out;
  }

  lines lines_;
};

// G3
TEST_F(Lines, StartsOneAttemptOfAStreamAtATimeById) {
  lines_.configure(1, ordering::fifo, 8);
  for (auto id : {3, 1, 2})
    add(id);
  EXPECT_EQ(take_all(), (id_list{1}));
  lines_.finish(1, 0);
  EXPECT_EQ(take_all(), (id_list{2}));
  lines_.finish(1, 0);
  EXPECT_EQ(take_all(), (id_list{3}));
}

TEST_F(Lines, PutsALateCommitOrADueRetryInItsPlace) {
  lines_.configure(1, ordering::fifo, 8);
  for (auto id : {5, 7, 9})
    add(id);
  EXPECT_EQ(take_all(), (id_list{5}));
  add(6);
  add(2);
  lines_.finish(1, 0);
  EXPECT_EQ(take_all(), (id_list{2}));
  lines_.finish(1, 0);
  EXPECT_EQ(take_all(), (id_list{6}));
}

TEST_F(Lines, LetsStreamsOfAnEndpointGoSideBySide) {
  lines_.configure(1, ordering::fifo, 8);
  add(1, 1, 10);
  add(2, 1, 10);
  add(3, 1, 11);
  EXPECT_EQ(take_all(), (id_list{1, 3}));
}

TEST_F(Lines, GoesFreelyUpToTheLimitWithoutOrder) {
  lines_.configure(1, ordering::none, 3);
  for (std::int64_t id = 1; id <= 5; ++id)
    add(id);
  EXPECT_EQ(take_all(), (id_list{1, 2, 3}));
  lines_.finish(1, 0);
  EXPECT_EQ(take_all(), (id_list{4}));
}

TEST_F(Lines, KeepsAnEndpointsLimitOverItsStreams) {
  lines_.configure(1, ordering::fifo, 2);
  for (std::int64_t id = 1; id <= 4; ++id)
    add(id, 1, id);
  EXPECT_EQ(take_all(), (id_list{1, 2}));
  lines_.finish(1, 2);
  EXPECT_EQ(take_all(), (id_list{3}));
}

TEST_F(Lines, HoldsALimitBelowOneForOne) {
  lines_.configure(1, ordering::none, 0);
  add(1);
  add(2);
  EXPECT_EQ(take_all(), (id_list{1}));
}

// G9: a long line does not keep a short one waiting.
TEST_F(Lines, ServesEndpointsByTurns) {
  lines_.configure(1, ordering::none, 100);
  lines_.configure(2, ordering::none, 100);
  for (std::int64_t id = 1; id <= 4; ++id)
    add(id, 1);
  add(5, 2);
  add(6, 2);
  EXPECT_EQ(take_all(), (id_list{1, 5, 2, 6, 3, 4}));
}

TEST_F(Lines, ServesStreamsOfAnEndpointByTurns) {
  lines_.configure(1, ordering::none, 100);
  add(1, 1, 10);
  add(2, 1, 10);
  add(3, 1, 11);
  EXPECT_EQ(take_all(), (id_list{1, 3, 2}));
}

TEST_F(Lines, UseARaisedLimitAtOnce) {
  lines_.configure(1, ordering::none, 1);
  for (std::int64_t id = 1; id <= 4; ++id)
    add(id);
  EXPECT_EQ(take_all(), (id_list{1}));
  lines_.configure(1, ordering::none, 3);
  EXPECT_EQ(take_all(), (id_list{2, 3}));
}

TEST_F(Lines, StartNothingMoreUnderALoweredLimit) {
  lines_.configure(1, ordering::none, 3);
  for (std::int64_t id = 1; id <= 5; ++id)
    add(id);
  take_all();
  lines_.configure(1, ordering::none, 1);
  lines_.finish(1, 0);
  lines_.finish(1, 0);
  EXPECT_EQ(take_all(), (id_list{}));
  lines_.finish(1, 0);
  EXPECT_EQ(take_all(), (id_list{4}));
}

TEST_F(Lines, FollowAChangeOfOrder) {
  lines_.configure(1, ordering::none, 8);
  add(1);
  add(2);
  take_all();
  add(3);
  lines_.configure(1, ordering::fifo, 8);
  // Was ready under the old order.
  EXPECT_EQ(take_all(), (id_list{}));
  lines_.finish(1, 0);
  EXPECT_EQ(take_all(), (id_list{}));
  lines_.finish(1, 0);
  EXPECT_EQ(take_all(), (id_list{3}));
  add(4);
  lines_.configure(1, ordering::none, 8);
  EXPECT_EQ(take_all(), (id_list{4}));
}

TEST_F(Lines, ForgetAnIdleEndpoint) {
  lines_.configure(1, ordering::fifo, 8);
  add(1);
  EXPECT_TRUE(lines_.knows(1));
  take_all();
  EXPECT_TRUE(lines_.knows(1));
  lines_.finish(1, 0);
  EXPECT_FALSE(lines_.knows(1));
}

TEST_F(Lines, GiveBackWhatWaitsAndKeepWhatIsInFlight) {
  lines_.configure(1, ordering::fifo, 8);
  for (std::int64_t id = 1; id <= 3; ++id)
    add(id);
  add(4, 2);
  EXPECT_EQ(lines_.take()->id, 1);
  EXPECT_EQ(lines_.clear().size(), 3u);
  EXPECT_EQ(lines_.waiting(), 0u);
  EXPECT_EQ(lines_.in_flight(), 1u);
  EXPECT_FALSE(lines_.take());
  EXPECT_FALSE(lines_.knows(2));
  add(5);
  EXPECT_FALSE(lines_.take()); // 1 is still out
  lines_.finish(1, 0);
  EXPECT_EQ(lines_.take()->id, 5);
}

TEST_F(Lines, GiveBackOneEndpointOnly) {
  add(1, 1);
  add(2, 2);
  EXPECT_EQ(lines_.clear(1).size(), 1u);
  EXPECT_TRUE(lines_.clear(3).empty());
  EXPECT_EQ(take_all(), (id_list{2}));
}

} // namespace
} // namespace postrider
