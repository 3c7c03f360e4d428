#include "core/read_window.hpp"

#include <gtest/gtest.h>

namespace postrider {
namespace {

constexpr std::int64_t second = 1'000'000; // of the database's clock
constexpr std::int64_t noon = 43'200 * second;

delivery row(std::int64_t id, std::int64_t endpoint = 1,
             std::uint16_t partition = 0) {
  delivery out;
  out.id = id;
  out.endpoint = endpoint;
  out.partition = partition;
  return out;
}

delivery due_row(std::int64_t id, std::int64_t due, std::int64_t endpoint = 1) {
  auto out = row(id, endpoint);
  out.attempts = 1;
  out.due = due;
  return out;
}

std::vector<std::int64_t> ids(const std::vector<delivery>& rows) {
  std::vector<std::int64_t> out;
  for (const auto& one : rows)
    out.push_back(one.id);
  return out;
}

using id_list = std::vector<std::int64_t>;

/// A window that starts at 0 and has looked once, with nothing running.
read_window started(read_limits limits, std::int64_t allocated) {
  read_window out{limits};
  out.restart(0);
  out.saw({1, {}}, allocated);
  out.next_late();
  return out;
}

id_list take(read_window& window, const std::vector<delivery>& rows) {
  const auto range = window.next();
  return range ? ids(window.take(*range, rows)) : id_list{};
}

/// Until what is drawn and not to be seen is no longer waited for.
void pass_the_end(read_window& window) {
  for (int looks = 0; window.look_again(), window.next(); ++looks) {
    ASSERT_LT(looks, 10);
    take(window, {});
  }
}

TEST(ReadWindow, ReadsOnFromWhereItStopped) {
  auto window = started({}, 3);
  EXPECT_EQ(take(window, {row(1), row(3)}), (id_list{1, 3}));
  EXPECT_FALSE(window.next());
  window.saw({2, {}}, 5);
  ASSERT_TRUE(window.next());
  EXPECT_EQ(window.next()->after, 3);
  EXPECT_EQ(window.next()->upto, 5);
}

// After a crash ids and transactions that nobody committed come once more.
TEST(ReadWindow, StartsAnewWhereIdsWereTakenBack) {
  auto window = started({}, 0);
  window.saw({10, {}, 12}, 5); // two transactions have drawn up to 5
  EXPECT_EQ(take(window, {row(1), row(2)}), (id_list{1, 2}));
  pass_the_end(window);
  EXPECT_EQ(window.cursor(), 5);
  window.start_anew(2);
  EXPECT_TRUE(window.contains(1));
  window.saw({10, {}, 11}, 3); // 10 runs once more, and has drawn 3
  window.next_late();          // what was there before
  pass_the_end(window);
  EXPECT_EQ(window.cursor(), 3);
  window.saw({11, {}, 12}, 4);
  const auto late = window.next_late();
  ASSERT_TRUE(late);
  const std::vector<delivery> found{row(3)};
  EXPECT_EQ(ids(window.take_late(*late, found)), (id_list{3}));
  EXPECT_EQ(take(window, {row(4)}), (id_list{4}));
}

TEST(ReadWindow, GoesByNewLimitsWhateverItHolds) {
  auto window = started({.rows = 4}, 9);
  EXPECT_EQ(take(window, {row(1), row(2), row(3), row(4)}).size(), 4U);
  EXPECT_FALSE(window.next());
  window.limit({.rows = 6});
  ASSERT_TRUE(window.next());
  EXPECT_EQ(window.next()->limit, 2);
  window.limit({.rows = 2});
  EXPECT_EQ(window.room(), 0);
  EXPECT_FALSE(window.next());
  for (const auto id : {1, 2, 3})
    window.leave(id);
  EXPECT_EQ(window.room(), 1);
}

TEST(ReadWindow, AsksForNothingWithoutRoom) {
  auto window = started({2, 1'000, 100}, 9);
  take(window, {row(1), row(2), row(3)});
  EXPECT_EQ(window.size(), 2u);
  EXPECT_FALSE(window.next());
  window.leave(1);
  EXPECT_EQ(take(window, {row(3)}), (id_list{3}));
}

TEST(ReadWindow, PassesItsBytesByOneRowAtMost) {
  auto window = started({100, 10, 100}, 9);
  auto heavy = row(1);
  heavy.size = 7;
  auto next = row(2, 2);
  next.size = 7;
  EXPECT_EQ(take(window, {heavy, next, row(3)}), (id_list{1, 2}));
  EXPECT_EQ(window.bytes(), 14u);
  EXPECT_EQ(window.room(), 0);
}

// G9: one backlog hides nobody.
TEST(ReadWindow, LeavesAnEndpointOutThatHasItsShare) {
  auto window = started({100, 1'000, 2}, 9);
  EXPECT_EQ(take(window, {row(1), row(2), row(3), row(4, 2), row(5)}),
            (id_list{1, 2, 4}));
  EXPECT_EQ(window.skipped(), (id_list{1}));
  EXPECT_TRUE(window.next_shares().empty());
  window.leave(1);
  const auto shares = window.next_shares();
  ASSERT_EQ(shares.size(), 1u);
  EXPECT_EQ(shares[0].after, 2);
  EXPECT_EQ(ids(window.take_shares(shares, std::vector{row(3), row(5)})),
            (id_list{3}));
  window.leave(2);
  window.leave(3);
  EXPECT_EQ(ids(window.take_shares(window.next_shares(), std::vector{row(5)})),
            (id_list{5}));
  EXPECT_TRUE(window.skipped().empty());
}

// DESIGN 4.3: a transaction that only stays open makes nobody look again.
TEST(ReadWindow, LooksBehindOnceWhenATransactionHasEnded) {
  auto window = started({}, 3);
  const std::vector<std::uint64_t> open{7};
  window.saw({9, open}, 3);
  take(window, {row(1), row(3)}); // 2 was drawn by transaction 7
  for (std::int64_t allocated = 4; allocated < 40; ++allocated) {
    window.saw({9, open}, allocated);
    take(window, {row(allocated)});
    EXPECT_FALSE(window.next_late());
  }
  window.saw({9, {}}, 40);
  const auto late = window.next_late();
  ASSERT_TRUE(late);
  EXPECT_LE(late->after, 1);
  EXPECT_FALSE(window.next_late());
}

// The cursor was set back for a gained partition and is behind what the
// endpoint's own read has reached: the ordinary read leaves that endpoint out.
TEST(ReadWindow, LooksBehindTheShareOfAnEndpointToo) {
  auto window = started({100, 1'000, 1}, 60);
  const std::vector<std::uint64_t> open{7}; // it drew 40
  window.saw({9, open}, 60);
  take(window, {row(1), row(2)});
  window.leave(1);
  window.take_shares(window.next_shares(), std::vector{row(49)});
  window.leave(49);
  window.restart(12);
  window.saw({9, {}}, 60);
  const auto shares = window.next_shares();
  ASSERT_EQ(shares.size(), 1u);
  EXPECT_LT(shares[0].after, 40);
}

// A row whose transaction ended between the look for a start and the first
// snapshot was seen by neither.
TEST(ReadWindow, LooksBehindItsStartOnce) {
  read_window window{{}};
  window.restart(9);
  window.saw({5, {}}, 9);
  const auto late = window.next_late();
  ASSERT_TRUE(late);
  EXPECT_EQ(late->after, 0);
  EXPECT_EQ(ids(window.take_late(*late, std::vector{row(4)})), (id_list{4}));
  EXPECT_EQ(window.late_found(), 1u);
  window.saw({6, {}}, 9);
  EXPECT_FALSE(window.next_late());
}

// S3.54: the statement had begun before the row was settled.
TEST(ReadWindow, TakesNothingFromAnOlderAnswerThatHasLeft) {
  auto window = started({}, 3);
  take(window, {row(1), row(2)});
  window.asking();
  window.leave(1);
  EXPECT_TRUE(window.take_swept(std::vector{row(1), row(2)}).empty());
}

// The same when its partition was dropped before: the settler was late.
TEST(ReadWindow, TakesNothingThatLeftWithoutHavingBeenHeld) {
  auto window = started({}, 3);
  take(window, {row(1)});
  window.asking();
  window.drop(0);
  window.leave(1);
  EXPECT_TRUE(window.take_swept(std::vector{row(1)}).empty());
}

TEST(ReadWindow, ReadsAgainWhatCouldNotBeHandedOn) {
  auto window = started({}, 3);
  take(window, {row(1), row(2), row(3)});
  window.give_back(row(2));
  const auto late = window.next_late();
  ASSERT_TRUE(late);
  window.asking();
  EXPECT_EQ(ids(window.take_late(*late, std::vector{row(2), row(3)})),
            (id_list{2}));
}

// -- due retries -------------------------------------------------------------

TEST(ReadWindow, TakesDueRowsOnce) {
  auto window = started({}, 9);
  const std::vector rows{due_row(1, noon - 5), due_row(2, noon - 1)};
  EXPECT_EQ(ids(window.take_due(rows, noon, noon)), (id_list{1, 2}));
  EXPECT_TRUE(window.take_due(rows, noon, noon).empty());
}

// A retry is due from the start of its transaction, and seen after its end.
TEST(ReadWindow, LooksBackAfterTheLastPageOfDueRows) {
  auto window = started({}, 9);
  window.take_due(std::vector{due_row(1, noon - second)}, noon - second, noon);
  EXPECT_EQ(window.due_after(), noon - second - 1);
  window.take_due(std::vector{due_row(2, noon)}, noon, noon);
  EXPECT_LE(window.due_after(), noon - 10 * second);
}

TEST(ReadWindow, ReadsDueRowsOfAFullEndpointLater) {
  auto window = started({100, 1'000, 2}, 9);
  EXPECT_EQ(ids(window.take_due(
                std::vector{due_row(1, noon - 9), due_row(2, noon - 8),
                            due_row(3, noon - 7), due_row(4, noon - 6, 2)},
                noon, noon)),
            (id_list{1, 2, 4}));
  EXPECT_EQ(window.due_skipped(), (id_list{1}));
  window.leave(1);
  EXPECT_TRUE(window.due_skipped().empty());
  EXPECT_LT(window.due_after(), noon - 7);
}

// Another retry of that endpoint may be seen later than it is due.
TEST(ReadWindow, LooksBackForAnEndpointThatGotRoom) {
  auto window = started({100, 1'000, 2}, 9);
  window.take_due(std::vector{due_row(1, noon - 3 * second),
                              due_row(2, noon - 3 * second),
                              due_row(3, noon - 2 * second)},
                  noon - 2 * second, noon);
  EXPECT_GT(window.due_after(), noon - 3 * second);
  window.leave(1);
  EXPECT_LE(window.due_after(), noon - 10 * second);
}

// The question that was on its way had left the endpoint out.
TEST(ReadWindow, KeepsAnEndpointsDueRowsInMindThatGotRoomMeanwhile) {
  auto window = started({100, 1'000, 2}, 9);
  const auto from = noon - 60 * second;
  window.take_due(
      std::vector{due_row(1, from), due_row(2, from + 1), due_row(3, from + 2)},
      noon, noon);
  window.asking();
  window.leave(1);
  window.take_due({}, noon + second, noon + second);
  EXPECT_LT(window.due_after(), from + 2);
}

TEST(ReadWindow, ReadsARetryAgainThatWasDueBeforeItsOutcomeWasKnown) {
  auto window = started({}, 9);
  take(window, {row(1)});
  window.take_due(std::vector{due_row(1, noon - 2), due_row(2, noon - 1)},
                  noon - 1, noon);
  EXPECT_LT(window.due_after(), noon - 2);
}

// Its oldest is still here, and what comes after that is no trial.
TEST(ReadWindow, AsksForATrialAndNothingElseOfTheEndpoint) {
  auto window = started({}, 9);
  std::vector<delivery> all;
  for (std::int64_t id = 1; id <= 9; ++id)
    all.push_back(row(id));
  take(window, all);
  for (std::int64_t id = 1; id <= 7; ++id)
    window.leave(id);
  ASSERT_TRUE(window.contains(8));
  ASSERT_FALSE(window.contains(9));
  window.set_gate(0, 1, read_gate::trial, {});
  const auto asked = window.next_shares();
  ASSERT_EQ(asked.size(), 1u);
  EXPECT_TRUE(asked[0].trial);
  window.asking();
  EXPECT_EQ(ids(window.take_shares(asked, std::vector{row(8)})), id_list{});
  EXPECT_EQ(window.next_shares().size(), 1u) << "now that of the ordinary way";
}

// -- what was lost -----------------------------------------------------------

TEST(ReadWindow, TellsWhatHasStayedSinceItWasLastAsked) {
  auto window = started({}, 9);
  take(window, {row(1), row(2, 2, 5)});
  EXPECT_TRUE(window.lingering().empty());
  EXPECT_EQ(window.lingering(),
            (std::map<std::uint16_t, id_list>{{0, {1}}, {5, {2}}}));
  window.leave(1);
  EXPECT_EQ(window.lingering().size(), 1u);
}

TEST(ReadWindow, ReadsAgainWhatIsDisowned) {
  auto window = started({}, 9);
  take(window, {row(1), row(2)});
  window.disowned(1); // was not asked for
  EXPECT_TRUE(window.contains(1));
  window.lingering();
  window.lingering();
  window.disowned(1);
  EXPECT_FALSE(window.contains(1));
  const auto range = window.next_late();
  ASSERT_TRUE(range);
  EXPECT_EQ(range->after, 0);
  window.asking();
  EXPECT_EQ(ids(window.take_late(*range, std::vector{row(1), row(2)})),
            (id_list{1}));
}

// -- partitions --------------------------------------------------------------

TEST(ReadWindow, ForgetsAPartitionWholly) {
  auto window = started({100, 1'000, 1}, 9);
  take(window, {row(1, 1, 0), row(2, 2, 1), row(3, 2, 1)});
  window.drop(1);
  EXPECT_EQ(window.size(), 1u);
  EXPECT_TRUE(window.contains(1));
  EXPECT_TRUE(window.skipped().empty());
}

TEST(ReadWindow, GoesBackForAGainedPartitionAndNeverForward) {
  auto window = started({}, 90);
  take(window, {});
  EXPECT_EQ(window.cursor(), 90);
  window.restart(50);
  EXPECT_EQ(window.cursor(), 50);
  window.restart(70);
  EXPECT_EQ(window.cursor(), 50);
}

} // namespace
} // namespace postrider
