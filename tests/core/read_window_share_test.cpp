#include "core/read_window.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <deque>
#include <map>
#include <random>
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

/// The same, all of one endpoint before any of the next.
std::vector<delivery> one_by_one(std::int64_t last, int each) {
  std::vector<delivery> out;
  for (std::int64_t endpoint = 1; endpoint <= last; ++endpoint)
    for (int i = 0; i < each; ++i)
      out.push_back(row(static_cast<std::int64_t>(out.size()) + 1, endpoint));
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

// However much room there is when its turn comes.
TEST(ReadWindowShare, AddsUpToTheSameForAllThatLag) {
  constexpr int endpoints = 40;
  constexpr int each = 500;
  auto window = started({200, 1'000'000, 16}, 100'000);
  std::deque<std::int64_t> here;
  for (const auto& one : take(window, one_by_one(endpoints, 20)))
    here.push_back(one.id);
  std::map<std::int64_t, int> got;
  std::minstd_rand dice{7};
  std::int64_t id = 10'000;
  int most = 0;
  while (most < each) {
    window.asking();
    const auto shares = window.next_shares();
    std::vector<delivery> rows;
    for (const auto& share : shares)
      for (int i = 0; i < share.limit; ++i)
        rows.push_back(row(++id, share.endpoint));
    for (const auto& taken : window.take_shares(shares, rows)) {
      here.push_back(taken.id);
      most = std::max(most, ++got[taken.endpoint]);
    }
    // Between two questions few or nearly all of them leave.
    for (auto left = dice() % (here.size() + 1); left > 0; --left) {
      window.leave(here.front());
      here.pop_front();
    }
  }
  ASSERT_EQ(got.size(), static_cast<std::size_t>(endpoints));
  for (const auto& [endpoint, many] : got)
    EXPECT_GT(many, each * 9 / 10) << endpoint;
}

// What is over would be read twice: shares shrink as rows come.
TEST(ReadWindowShare, AsksForNoMoreThanItTakes) {
  auto window = started({200, 1'000'000, 16}, 100'000);
  const auto first = take(window, one_by_one(40, 20));
  for (const auto& one : first)
    window.leave(one.id);
  std::int64_t id = 10'000;
  for (int round = 0; round < 5; ++round) {
    window.asking();
    const auto shares = window.next_shares();
    std::vector<delivery> rows;
    for (const auto& share : shares)
      for (int i = 0; i < share.limit; ++i)
        rows.push_back(row(++id, share.endpoint));
    EXPECT_EQ(window.take_shares(shares, rows).size(), rows.size()) << round;
  }
  EXPECT_GT(window.size(), 80u);
}

// One that was set back finds again what it has here, which takes none of its
// room.
TEST(ReadWindowShare, AsksForWhatIsHereTooOnceItWasSetBack) {
  auto window = started({200, 1'000'000, 16}, 1'000);
  const std::vector<std::uint64_t> seven{7};
  window.saw({8, seven}, 1'000);
  const auto first = take(window, backlog(1, 1, 20, 1));
  ASSERT_EQ(first.size(), 8u);
  for (std::size_t i = 0; i < 6; ++i)
    window.leave(first[i].id);
  const auto before = window.next_shares();
  ASSERT_EQ(before.size(), 1u);
  EXPECT_EQ(before[0].limit, 14);
  window.saw({9, {}}, 1'000); // it may have written anywhere
  const auto after = window.next_shares();
  ASSERT_EQ(after.size(), 1u);
  EXPECT_EQ(after[0].after, 0);
  EXPECT_EQ(after[0].limit, 16);
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

// A large answer is waited for by what is new elsewhere.
TEST(ReadWindowShare, IsReadInSmallPiecesWhileSomethingIsNewElsewhere) {
  auto window = started({4'000, 1'000'000, 1'000}, 100'000);
  auto last = take(window, backlog(1, 2, 2'000, 1));
  const auto asked_for = [&] {
    int out = 0;
    for (const auto& share : window.next_shares())
      out += share.limit;
    return out;
  };
  // Their shares grow with what leaves, one row always stays.
  std::int64_t id = 10'000;
  for (int i = 0; i < 60; ++i) {
    for (std::size_t k = 1; k < last.size(); ++k)
      window.leave(last[k].id);
    window.asking();
    std::vector<delivery> found;
    const auto shares = window.next_shares();
    for (const auto& share : shares)
      for (int k = 0; k < share.limit; ++k)
        found.push_back(row(++id, share.endpoint));
    std::ranges::sort(found, {}, &delivery::id);
    last = window.take_shares(shares, found);
  }
  for (const auto& one : last)
    window.leave(one.id);
  EXPECT_GE(asked_for(), 500);
  ASSERT_EQ(take(window, {row(90'000, 9)}).size(), 1u);
  EXPECT_LT(asked_for(), 200);
  // What comes for one that has enough to do already is no reason.
  for (int i = 0; i < 40; ++i)
    window.asking();
  take(window, {row(90'001, 9), row(90'002, 9)});
  EXPECT_GE(asked_for(), 500);
}

// -- groups -------------------------------------------------------------------

TEST(ReadWindowShare, OfAGroupIsThreeQuartersOfTheWindow) {
  auto window = started({200, 1'000'000, 16}, 10'000);
  for (std::int64_t endpoint = 1; endpoint <= 180; ++endpoint)
    window.assign(endpoint, 7);
  EXPECT_EQ(take(window, backlog(1, 180, 1, 1)).size(), 150u);
  window.assign(181, 8);
  EXPECT_EQ(take(window, backlog(181, 181, 1, 2'000)).size(), 1u);
}

// However many of a group get nothing done, another one of it gets something.
TEST(ReadWindowShare, ShrinksAsThePartOfItsGroupFills) {
  auto window = started({200, 1'000'000, 64}, 10'000);
  for (std::int64_t endpoint = 1; endpoint <= 25; ++endpoint)
    window.assign(endpoint, 7);
  std::map<std::int64_t, int> got;
  for (const auto& one : take(window, one_by_one(25, 8)))
    ++got[one.endpoint];
  EXPECT_EQ(got.size(), 25u);
}

// They were taken as if they were of no group, and more than it may have.
TEST(ReadWindowShare, OfAGroupThatBecomesKnownLaterIsWhatAllOfItsGet) {
  auto window = started({200, 1'000'000, 64}, 10'000);
  const auto taken = take(window, one_by_one(22, 8));
  EXPECT_GT(taken.size(), 160u);
  std::map<std::int64_t, std::size_t> may;
  std::map<std::int64_t, std::size_t> kept;
  for (const auto& one : taken) {
    const auto left =
        may.try_emplace(one.endpoint, window.assign(one.endpoint, 7)).first;
    if (kept[one.endpoint] < left->second)
      ++kept[one.endpoint];
    else
      window.give_back(one);
  }
  EXPECT_LT(window.size(), 150u);
  EXPECT_EQ(kept.size(), 22u);
  for (const auto& [endpoint, many] : kept)
    EXPECT_GT(many, 0u) << endpoint;
  window.assign(23, 7);
  EXPECT_EQ(take(window, backlog(23, 23, 1, 2'000)).size(), 1u);
}

TEST(ReadWindowShare, DoesNotGrowWithWhatIsGivenBack) {
  auto window = started({400, 1'000'000, 64}, 10'000);
  const auto taken = take(window, backlog(1, 1, 40, 1));
  ASSERT_EQ(taken.size(), 8u);
  for (std::size_t i = 4; i < 8; ++i)
    window.give_back(taken[i]);
  EXPECT_EQ(window.size(), 4u);
  window.asking();
  std::size_t more = 0;
  for (const auto& share : window.next_shares())
    more += static_cast<std::size_t>(share.limit) - 4;
  EXPECT_EQ(more, 4u);
}

// It knows of no transaction any more that may have ended behind it.
TEST(ReadWindowShare, IsReadFromTheBeginningByAReaderThatStartsAnew) {
  read_window window{{40, 1 << 20, 8}};
  window.restart(0);
  window.saw({1, {}}, 20);
  window.next_late();
  window.set_gate(0, 1, read_gate::reopen, {});
  window.asking();
  const auto range = window.next();
  ASSERT_TRUE(range);
  window.take(*range, {});
  auto shares = window.next_shares();
  ASSERT_EQ(shares.size(), 1u);
  const std::vector<delivery> found{row(7, 1)};
  window.take_shares(shares, found);
  window.leave(7);
  window.start_anew(20);
  EXPECT_TRUE(window.may_be_late());
  shares = window.next_shares();
  ASSERT_EQ(shares.size(), 1u);
  EXPECT_EQ(shares[0].after, 0);
}

// The cursor is set back behind what the endpoint's own reads have reached:
// what has ended there since may stand before the next of them.
TEST(ReadWindowShare, MayHaveLateRowsBeyondACursorThatWasSetBack) {
  read_window window{{40, 1 << 20, 8}};
  window.restart(0);
  window.saw({1, {}}, 12);
  window.next_late();
  const auto read = [&](std::int64_t from, std::int64_t upto) {
    std::vector<delivery> rows;
    for (auto id = from; id <= upto; ++id)
      if (id != 15) // by 5, which runs
        rows.push_back(row(id, id));
    const auto range = window.next();
    ASSERT_TRUE(range);
    window.take(*range, rows);
  };
  read(1, 12);
  const std::vector<std::uint64_t> open{5};
  window.saw({6, open}, 20);
  read(13, 20);
  EXPECT_TRUE(window.may_be_late());
  window.restart(10);
  EXPECT_TRUE(window.may_be_late());
}

} // namespace
} // namespace postrider
