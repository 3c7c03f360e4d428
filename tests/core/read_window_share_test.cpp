#include "core/read_window.hpp"

#include <gtest/gtest.h>

#include <map>
#include <vector>

namespace postrider {
namespace {

// G9: whoever does not finish leaves room for the others.

delivery row(std::int64_t id, std::int64_t endpoint, std::int32_t size = 0) {
  delivery out;
  out.id = id;
  out.endpoint = endpoint;
  out.size = size;
  return out;
}

read_window started(read_limits limits, std::int64_t allocated) {
  read_window out{limits};
  out.restart(0);
  out.saw({1, {}}, allocated);
  out.next_late();
  return out;
}

std::vector<delivery> take(read_window& window,
                           const std::vector<delivery>& rows) {
  const auto range = window.next();
  return range ? window.take(*range, rows) : std::vector<delivery>{};
}

/// `each` rows of every endpoint from `first` to `last`, by turns.
std::vector<delivery> backlog(std::int64_t first, std::int64_t last, int each,
                              std::int64_t from_id, std::int32_t size = 0) {
  std::vector<delivery> out;
  for (int i = 0; i < each; ++i)
    for (auto endpoint = first; endpoint <= last; ++endpoint)
      out.push_back(row(from_id++, endpoint, size));
  return out;
}

// G9: who gets nothing done holds little of the window.
TEST(ReadWindowShare, IsSmallUntilSomethingHasLeft) {
  auto window = started({400, 1'000'000, 16}, 10'000);
  EXPECT_EQ(take(window, backlog(1, 10, 20, 1)).size(), 80u);
}

TEST(ReadWindowShare, IsWholeForThoseThatGoOnWhileHalfOfTheWindowIsFree) {
  auto window = started({400, 1'000'000, 16}, 10'000);
  const auto first = take(window, backlog(1, 10, 8, 1));
  ASSERT_EQ(first.size(), 80u);
  for (std::size_t i = 0; i < 70; ++i)
    window.leave(first[i].id);
  EXPECT_EQ(take(window, backlog(1, 10, 20, 101)).size(), 150u);
  EXPECT_EQ(window.size(), 160u);
}

TEST(ReadWindowShare, OfManyTogetherNeverFillsTheWindow) {
  auto window = started({400, 1'000'000, 16}, 100'000);
  take(window, backlog(1, 200, 20, 1));
  EXPECT_GT(window.room(), 50);
  // One that comes later finds room.
  EXPECT_FALSE(take(window, backlog(900, 900, 5, 50'000)).empty());
}

TEST(ReadWindowShare, CountsTheBytesToo) {
  auto window = started({400, 1'000, 16}, 100'000);
  take(window, backlog(1, 20, 20, 1, 20));
  EXPECT_GT(window.room(), 0);
  EXPECT_FALSE(take(window, backlog(900, 900, 1, 50'000, 20)).empty());
}

// A size that no payload has was planted.
TEST(ReadWindowShare, TakesANegativeSizeForNothing) {
  auto window = started({400, 1'000, 16}, 9);
  take(window, {row(1, 1, -5)});
  EXPECT_EQ(window.bytes(), 0u);
  EXPECT_EQ(window.room(), 399);
}

// Whoever has the lowest id is not always the first.
TEST(ReadWindowShare, IsReadByTurns) {
  auto window = started({60, 1'000'000, 10}, 100'000);
  take(window, backlog(1, 8, 20, 1));
  ASSERT_EQ(window.skipped().size(), 8u);
  for (std::int64_t one = 1; one <= 160; ++one)
    window.leave(one);
  take(window, backlog(100, 157, 1, 5'000)); // these never finish
  ASSERT_EQ(window.room(), 2);
  std::map<std::int64_t, int> asked;
  std::int64_t id = 10'000;
  for (int round = 0; round < 20; ++round) {
    window.asking();
    const auto shares = window.next_shares();
    ASSERT_FALSE(shares.empty());
    std::vector<delivery> rows;
    for (const auto& share : shares) {
      ++asked[share.endpoint];
      for (int i = 0; i < share.limit; ++i)
        rows.push_back(row(++id, share.endpoint));
    }
    for (const auto& taken : window.take_shares(shares, rows))
      window.leave(taken.id);
  }
  for (std::int64_t endpoint = 1; endpoint <= 8; ++endpoint)
    EXPECT_GE(asked[endpoint], 3) << endpoint;
}

// A retry that could not be handed on is older than what its endpoint waits
// for: that is read again from there.
TEST(ReadWindowShare, ReadsAgainTheRetryThatCameBackWhileItsEndpointWaits) {
  constexpr std::int64_t now = 43'200'000'000;
  auto window = started({100, 1'000'000, 4}, 9);
  std::vector<delivery> due;
  for (std::int64_t id = 1; id <= 6; ++id) {
    due.push_back(row(id, 1));
    due.back().due = now - 60'000'000 + id;
  }
  ASSERT_EQ(window.take_due(due, now, now).size(), 4u);
  ASSERT_EQ(window.due_skipped().size(), 1u);
  window.asking();
  window.give_back(due[0]);
  ASSERT_EQ(window.due_skipped().size(), 1u) << "it still has three of four";
  window.leave(3);
  window.leave(4);
  EXPECT_TRUE(window.due_skipped().empty());
  EXPECT_LT(window.due_after(), due[0].due);
}

} // namespace
} // namespace postrider
