#include "core/read_window.hpp"

#include <gtest/gtest.h>

#include <initializer_list>
#include <vector>

namespace postrider {
namespace {

using ids = std::vector<std::int64_t>;

delivery row(std::int64_t id, std::int64_t endpoint = 1) {
  delivery out;
  out.id = id;
  out.endpoint = endpoint;
  return out;
}

/// A window that has read all up to its cursor, and what is handed to it.
class Handover : public ::testing::Test {
protected:
  Handover() {
    window_.restart(0);
    saw({1, {}, 1}, 0);
    window_.next_late();
  }

  void saw(const transactions& now, std::int64_t allocated) {
    window_.saw(now, allocated);
  }
  void hand(std::initializer_list<std::int64_t> which) {
    std::vector<fresh_delivery> made;
    for (const auto id : which)
      made.push_back({row(id, id), true});
    fresh_.add(made);
  }
  ids take() {
    ids out;
    for (const auto& one : window_.take_handed(fresh_))
      out.push_back(one.id);
    return out;
  }
  /// What is drawn is not waited for any more.
  void pass_the_end() {
    for (int looks = 0; window_.look_again(), window_.next(); ++looks) {
      ASSERT_LT(looks, 10);
      read({});
    }
  }
  ids read(std::vector<delivery> rows) {
    ids out;
    if (const auto range = window_.next())
      for (const auto& one : window_.take(*range, rows))
        out.push_back(one.id);
    return out;
  }

  read_window window_{{.rows = 4, .bytes = 1 << 20, .per_endpoint = 4}};
  handover fresh_;
};

TEST_F(Handover, IsTakenInTheOrderOfIdsWithoutAQuestion) {
  hand({2, 1});
  EXPECT_EQ(take(), (ids{1, 2}));
  EXPECT_EQ(window_.cursor(), 2);
  EXPECT_TRUE(window_.contains(2));
  EXPECT_FALSE(window_.next());
  EXPECT_EQ(fresh_.size(), 0u);
}

TEST_F(Handover, WaitsBehindAnIdThatNobodyHasToldOf) {
  hand({1, 3});
  EXPECT_EQ(take(), (ids{1}));
  // Up to there ids were drawn: that is to be read.
  ASSERT_TRUE(window_.next());
  EXPECT_EQ(window_.next()->upto, 3);
  hand({2});
  EXPECT_EQ(take(), (ids{2, 3}));
}

TEST_F(Handover, OfWhatWasReadMeanwhileIsForgotten) {
  hand({1, 3});
  take();
  saw({9, {}, 9}, 3);
  EXPECT_EQ(read({row(2), row(3)}), (ids{2, 3}));
  hand({2});
  EXPECT_EQ(take(), ids{});
  EXPECT_EQ(fresh_.size(), 0u);
}

TEST_F(Handover, StepsOverWhatIsNotToBeSentNow) {
  const std::vector<fresh_delivery> made{{row(1), false}, {row(2), true}};
  fresh_.add(made);
  EXPECT_EQ(take(), (ids{2}));
  EXPECT_FALSE(window_.contains(1));
}

TEST_F(Handover, IsLeftToReadingWhileWhatStandsBeforeItMayBeCommitted) {
  saw({9, {}, 11}, 2); // 1 and 2 by 9 or by 10, which run
  pass_the_end();
  EXPECT_EQ(window_.cursor(), 2);
  hand({3});
  EXPECT_TRUE(window_.may_be_late());
  EXPECT_EQ(take(), ids{});
  EXPECT_EQ(fresh_.size(), 0u);
  ASSERT_TRUE(window_.next());
  EXPECT_EQ(window_.next()->upto, 3);
}

TEST_F(Handover, IsLeftToReadingWhileALateRowIsToBeRead) {
  saw({9, {}, 10}, 0);
  saw({9, {}, 10}, 2);
  pass_the_end();
  saw({10, {}, 10}, 2); // 9 has ended, and may have written 1 or 2
  hand({3});
  EXPECT_EQ(take(), ids{});
  const auto late = window_.next_late();
  ASSERT_TRUE(late);
  EXPECT_EQ(late->after, 0);
}

TEST_F(Handover, OfWhatIsCommittedInAMomentIsWaitedFor) {
  saw({9, {}, 10}, 2);
  window_.leave_for_now();
  EXPECT_FALSE(window_.next());
  hand({1, 2});
  EXPECT_EQ(take(), (ids{1, 2}));
  window_.look_again();
  EXPECT_FALSE(window_.next());
}

TEST_F(Handover, GoesOnBesideTransactionsThatCanHaveWrittenNothingBeforeIt) {
  saw({9, {}, 20}, 0);
  hand({1, 2});
  EXPECT_EQ(take(), (ids{1, 2}));
  EXPECT_EQ(window_.watched(), 1u);
  hand({3});
  EXPECT_EQ(take(), (ids{3}));
  saw({20, {}, 20}, 3);
  EXPECT_FALSE(window_.next_late()) << "there is nothing that could be late";
}

TEST_F(Handover, EndsWhereTheWindowIsFullAndGoesOnWithRoom) {
  hand({1, 2, 3, 4, 5, 6});
  EXPECT_EQ(take(), (ids{1, 2, 3, 4}));
  window_.leave(1);
  EXPECT_EQ(take(), (ids{5}));
}

TEST_F(Handover, IsNotTakenByAReaderThatHasNotBegun) {
  window_.start_anew(0);
  hand({1});
  EXPECT_EQ(take(), ids{});
  EXPECT_EQ(fresh_.size(), 0u);
  EXPECT_FALSE(window_.next());
}

// Its partition may have been another node's meanwhile, and 1 have ended there.
TEST_F(Handover, IsNotTakenOfWhatWasDrawnBeforeTheLastStart) {
  window_.restart(0);
  saw({2, {}, 2}, 1);
  window_.next_late();
  hand({1, 2});
  EXPECT_EQ(take(), ids{});
  EXPECT_EQ(read({row(2)}), (ids{2}));
  hand({3});
  EXPECT_EQ(take(), (ids{3}));
}

TEST_F(Handover, HoldsNoMoreThanItsBound) {
  std::vector<fresh_delivery> made;
  for (std::int64_t id = 1; id <= 3'000; ++id)
    made.push_back({row(id), true});
  fresh_.add(made);
  EXPECT_EQ(fresh_.size(), handover::most);
  EXPECT_NE(fresh_.next(0), nullptr);
  EXPECT_EQ(fresh_.highest(), 3'000);
}

// -- what is drawn and not to be seen ----------------------------------------

class Unseen : public Handover {};

// What was drawn last is mostly committed a moment later.
TEST_F(Unseen, IsAskedForAgainWhenSomeTimeHasPassed) {
  saw({9, {}, 10}, 3); // 2 and 3 by 9, which runs
  EXPECT_EQ(read({row(1)}), (ids{1}));
  EXPECT_EQ(window_.cursor(), 1);
  EXPECT_FALSE(window_.next());
  window_.look_again();
  ASSERT_TRUE(window_.next());
  EXPECT_EQ(window_.next()->after, 1);
  EXPECT_EQ(read({row(2), row(3)}), (ids{2, 3}));
  saw({10, {}, 10}, 3);
  EXPECT_FALSE(window_.next_late()) << "it was seen in its place";
}

TEST_F(Unseen, HoldsUpNothingThatIsDrawnAfterIt) {
  saw({9, {}, 10}, 2); // 2 by 9, which runs
  EXPECT_EQ(read({row(1)}), (ids{1}));
  saw({9, {}, 12}, 3);
  EXPECT_EQ(read({row(3)}), (ids{3}));
  EXPECT_EQ(window_.cursor(), 3);
  saw({12, {}, 12}, 3);
  const auto late = window_.next_late();
  ASSERT_TRUE(late);
  EXPECT_EQ(late->after, 0);
}

TEST_F(Unseen, IsPassedInTheEndAndLookedForOnceItHasEnded) {
  saw({9, {}, 10}, 2);
  pass_the_end();
  EXPECT_EQ(window_.cursor(), 2);
  saw({10, {}, 10}, 2);
  EXPECT_TRUE(window_.next_late());
}

TEST_F(Unseen, IsNotWaitedForWhereNobodyRuns) {
  saw({9, {}, 9}, 2); // rolled back, or for partitions of others
  EXPECT_EQ(read({}), ids{});
  EXPECT_EQ(window_.cursor(), 2);
}

} // namespace
} // namespace postrider
