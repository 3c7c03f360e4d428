#include "core/tenant_limits.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <condition_variable>
#include <mutex>
#include <thread>
#include <vector>

namespace postrider {
namespace {

using namespace std::chrono_literals;
using verdict = tenant_limits::verdict;
using time_point = tenant_limits::time_point;

constexpr time_point start{1'000h};

class TenantLimits : public ::testing::Test {
protected:
  void cap(int most) { limits_.configure({most, 0}); }
  void rate(double per_second) { limits_.configure({0, per_second}); }

  /// Asks for somebody; his calls are written down.
  verdict ask(std::int64_t who, time_point now = start) {
    return answer(who, now).what;
  }
  tenant_limits::answer answer(std::int64_t who, time_point now) {
    return limits_.enter("a", {who, [this, who] { called_.push_back(who); }},
                         now);
  }

  tenant_limits limits_;
  std::vector<std::int64_t> called_;
};

TEST_F(TenantLimits, GrantsUpToTheCap) {
  cap(3);
  for (int i = 0; i < 3; ++i)
    EXPECT_EQ(ask(1), verdict::granted);
  EXPECT_EQ(ask(1), verdict::busy);
  EXPECT_EQ(limits_.in_flight("a"), 3u);
  EXPECT_TRUE(called_.empty());
}

TEST_F(TenantLimits, KeepsTenantsApart) {
  cap(1);
  EXPECT_EQ(ask(1), verdict::granted);
  EXPECT_EQ(limits_
                .enter(
                    "b", [] {}, start)
                .what,
            verdict::granted);
  limits_.leave("b");
  EXPECT_EQ(limits_.in_flight("a"), 1u);
  EXPECT_EQ(ask(2), verdict::busy);
}

TEST_F(TenantLimits, HasNoCapByZero) {
  cap(0);
  for (int i = 0; i < 5'000; ++i)
    EXPECT_EQ(ask(1), verdict::granted);
  EXPECT_EQ(limits_.in_flight("a"), 5'000u);
}

TEST_F(TenantLimits, CallsWhoeverCameFirstAndOnce) {
  cap(2);
  ask(1);
  ask(1);
  for (int who : {2, 3, 4})
    EXPECT_EQ(ask(who), verdict::busy);
  limits_.leave("a");
  EXPECT_EQ(called_, (std::vector<std::int64_t>{2}));
  limits_.leave("a");
  limits_.leave("a"); // of nobody
  EXPECT_EQ(called_, (std::vector<std::int64_t>{2, 3, 4}));
}

TEST_F(TenantLimits, GivesEachWhoWaitsOnePlace) {
  cap(2);
  ask(1);
  ask(1);
  for (int i = 0; i < 3; ++i)
    EXPECT_EQ(ask(2), verdict::busy);
  ask(3);
  limits_.leave("a");
  EXPECT_EQ(ask(2), verdict::granted);
  limits_.leave("a");
  EXPECT_EQ(called_, (std::vector<std::int64_t>{2, 3}));
}

// The one whose attempt ends asks again at once, before the other is awake.
TEST_F(TenantLimits, KeepsTheSlotForTheOneThatWasCalled) {
  cap(1);
  EXPECT_EQ(ask(1), verdict::granted);
  EXPECT_EQ(ask(2), verdict::busy);
  limits_.leave("a");
  EXPECT_NE(ask(1), verdict::granted);
  EXPECT_EQ(ask(2, start + 10ms), verdict::granted);
  EXPECT_EQ(ask(1, start + 100ms), verdict::busy);
  limits_.leave("a");
  EXPECT_EQ(ask(1, start + 200ms), verdict::granted);
  EXPECT_EQ(called_, (std::vector<std::int64_t>{2, 1}));
}

TEST_F(TenantLimits, LetsNewcomersPassNobodyInLine) {
  cap(3);
  for (int i = 0; i < 3; ++i)
    ask(1);
  ask(2);
  ask(3);
  limits_.leave("a"); // kept for 2
  EXPECT_EQ(ask(4), verdict::busy);
  limits_.leave("a"); // kept for 3
  EXPECT_EQ(ask(3), verdict::granted);
  EXPECT_EQ(ask(2), verdict::granted);
}

TEST_F(TenantLimits, DoesNotKeepASlotForEver) {
  cap(1);
  ask(1);
  ask(2);
  limits_.leave("a"); // 2 is called and never comes
  auto told = answer(3, start + 1h);
  EXPECT_EQ(told.what, verdict::later);
  EXPECT_EQ(told.at, start + 1h + 50ms);
  EXPECT_EQ(answer(4, start + 1h + 10ms).at, told.at);
  EXPECT_EQ(ask(3, told.at), verdict::granted);
}

TEST_F(TenantLimits, HandsOnASlotThatNobodyCameFor) {
  cap(2);
  ask(1);
  ask(1);
  ask(2);
  ask(3);
  limits_.leave("a"); // kept for 2, who never comes
  EXPECT_EQ(ask(4, start), verdict::busy);
  EXPECT_EQ(ask(5, start + 50ms), verdict::busy);
  EXPECT_EQ(called_, (std::vector<std::int64_t>{2, 3}));
  EXPECT_EQ(ask(3, start + 50ms), verdict::granted);
}

// Whoever waits is served by an end; when nothing is left to end, he asks.
TEST_F(TenantLimits, LeavesNobodyInLineWithNothingInFlight) {
  cap(1);
  ask(1);
  for (int who : {2, 3, 4})
    ask(who);
  limits_.leave("a");
  EXPECT_EQ(called_, (std::vector<std::int64_t>{2, 3, 4}));
  EXPECT_EQ(ask(3), verdict::later);
  EXPECT_EQ(ask(2), verdict::granted);
  EXPECT_EQ(ask(3), verdict::busy);
}

TEST_F(TenantLimits, ServesThoseWithoutAName) {
  cap(1);
  int calls = 0;
  const auto wake = [&calls] { ++calls; };
  EXPECT_EQ(limits_.enter("a", wake, start).what, verdict::granted);
  EXPECT_EQ(limits_.enter("a", wake, start).what, verdict::busy);
  EXPECT_EQ(limits_.enter("a", wake, start).what, verdict::busy);
  limits_.leave("a");
  EXPECT_EQ(calls, 2);
  EXPECT_EQ(limits_.enter("a", wake, start).what, verdict::granted);
}

TEST_F(TenantLimits, TellsWhenTheRateLetsTheNextBegin) {
  rate(10);
  EXPECT_EQ(ask(1), verdict::granted);
  auto told = answer(1, start + 1ms);
  EXPECT_EQ(told.what, verdict::later);
  EXPECT_EQ(told.at, start + 100ms);
  EXPECT_EQ(limits_.in_flight("a"), 1u);
  EXPECT_EQ(ask(1, told.at - 1ns), verdict::later);
  EXPECT_EQ(ask(1, told.at), verdict::granted);
}

TEST_F(TenantLimits, SpendsNoTokenWhereThereIsNoSlot) {
  limits_.configure({1, 10});
  EXPECT_EQ(ask(1), verdict::granted);
  EXPECT_EQ(ask(2, start + 1s), verdict::busy);
  limits_.leave("a");
  EXPECT_EQ(ask(2, start + 1s), verdict::granted); // the token is there
}

TEST_F(TenantLimits, TakesNoSlotWhereThereIsNoToken) {
  limits_.configure({1, 10});
  ask(1);
  limits_.leave("a");
  EXPECT_EQ(ask(1), verdict::later);
  EXPECT_EQ(limits_.in_flight("a"), 0u);
}

TEST_F(TenantLimits, GoesByATenantsOwnLimits) {
  cap(1);
  limits_.override({{"a", {2, std::nullopt}}, {"b", {std::nullopt, 1.0}}});
  EXPECT_EQ(ask(1), verdict::granted);
  EXPECT_EQ(ask(1), verdict::granted);
  EXPECT_EQ(ask(1), verdict::busy);
  EXPECT_EQ(limits_
                .enter(
                    "b", [] {}, start)
                .what,
            verdict::granted);
  EXPECT_EQ(limits_
                .enter(
                    "b", [] {}, start)
                .what,
            verdict::busy);
  limits_.leave("b");
  EXPECT_EQ(limits_
                .enter(
                    "b", [] {}, start)
                .what,
            verdict::later);
}

TEST_F(TenantLimits, CallsThoseInLineWhenThereIsMoreRoom) {
  cap(1);
  ask(1);
  for (int who : {2, 3, 4})
    ask(who);
  cap(3);
  EXPECT_EQ(called_, (std::vector<std::int64_t>{2, 3}));
  limits_.override({{"a", {0, std::nullopt}}});
  EXPECT_EQ(called_, (std::vector<std::int64_t>{2, 3, 4}));
  for (int who : {2, 3, 4})
    EXPECT_EQ(ask(who), verdict::granted);
}

TEST_F(TenantLimits, TakesNothingBackWhenThereIsLessRoom) {
  cap(3);
  for (int i = 0; i < 3; ++i)
    ask(1);
  cap(1);
  EXPECT_EQ(ask(2), verdict::busy);
  limits_.leave("a");
  limits_.leave("a");
  EXPECT_TRUE(called_.empty());
  limits_.leave("a");
  EXPECT_EQ(called_, (std::vector<std::int64_t>{2}));
}

TEST_F(TenantLimits, KeepsThePlaceOfOneThatWasCalledInVain) {
  cap(2);
  ask(1);
  ask(1);
  ask(2);
  ask(3);
  limits_.leave("a");
  cap(1);
  EXPECT_EQ(ask(2), verdict::busy);
  limits_.leave("a");
  EXPECT_EQ(called_, (std::vector<std::int64_t>{2, 2, 3}));
}

// They are read from the database every few seconds.
TEST_F(TenantLimits, MakesNoTokensWhenLimitsAreSetAgain) {
  rate(1);
  EXPECT_EQ(ask(1), verdict::granted);
  for (int i = 0; i < 100; ++i) {
    limits_.override({{"b", {i, std::nullopt}}});
    limits_.override({});
    EXPECT_EQ(ask(1, start + 999ms), verdict::later);
  }
  rate(2);
  EXPECT_EQ(ask(1, start + 1s), verdict::granted);
}

TEST_F(TenantLimits, ForgetsTheIdleAndNoOthers) {
  cap(1);
  ask(1);
  for (int i = 0; i < 50'000; ++i) {
    auto tenant = "t" + std::to_string(i);
    ASSERT_EQ(limits_
                  .enter(
                      tenant, [] {}, start)
                  .what,
              verdict::granted);
    limits_.leave(tenant);
  }
  EXPECT_LT(limits_.known(), 10'000u);
  EXPECT_EQ(limits_.in_flight("a"), 1u);
  EXPECT_EQ(ask(2), verdict::busy);
}

// A bucket that is made anew would have a token.
TEST_F(TenantLimits, ForgetsNobodyWhoseRateIsSpent) {
  rate(0.001);
  EXPECT_EQ(ask(1), verdict::granted);
  limits_.leave("a");
  for (int i = 0; i < 50'000; ++i)
    limits_.enter(
        "t" + std::to_string(i), [] {}, start);
  EXPECT_EQ(ask(1), verdict::later);
}

TEST_F(TenantLimits, BoundsTheLine) {
  cap(1);
  ask(0);
  for (int who = 1; who <= 4'096; ++who)
    ASSERT_EQ(ask(who), verdict::busy);
  auto told = answer(5'000, start);
  EXPECT_EQ(told.what, verdict::later);
  EXPECT_GT(told.at, start);
}

/// Somebody with work of his own who waits when he has to.
class worker {
public:
  worker(tenant_limits& limits, std::int64_t who, int work)
      : limits_{limits}, who_{who}, left_{work} {}

  void run(std::atomic<int>& in_flight, std::atomic<int>& most) {
    while (left_ > 0) {
      auto now = std::chrono::steady_clock::now();
      auto got = limits_.enter("a", {who_, [this] { wake(); }}, now);
      if (got.what == verdict::granted) {
        auto many = ++in_flight;
        for (auto seen = most.load();
             many > seen && !most.compare_exchange_weak(seen, many);) {
        }
        std::this_thread::yield();
        --in_flight;
        --left_;
        limits_.leave("a");
        continue;
      }
      std::unique_lock lock{mutex_};
      if (got.what == verdict::busy) {
        if (!woken_.wait_for(lock, 20s, [this] { return awake_; }))
          return; // nobody called
        awake_ = false;
      } else {
        woken_.wait_until(lock, got.at, [this] { return awake_; });
        awake_ = false;
      }
    }
  }
  int left() const { return left_; }

private:
  void wake() {
    const std::lock_guard lock{mutex_};
    awake_ = true;
    woken_.notify_one();
  }

  tenant_limits& limits_;
  std::int64_t who_;
  int left_;
  std::mutex mutex_;
  std::condition_variable woken_;
  bool awake_ = false;
};

class TenantLimitsByThreads : public ::testing::TestWithParam<int> {};

TEST_P(TenantLimitsByThreads, NeverExceedTheCapAndServeAll) {
  tenant_limits limits;
  limits.configure({GetParam(), 0});
  std::atomic<int> in_flight{0};
  std::atomic<int> most{0};
  std::vector<std::unique_ptr<worker>> workers;
  std::vector<std::thread> threads;
  for (int i = 0; i < 6; ++i)
    workers.push_back(std::make_unique<worker>(limits, i, 300));
  for (auto& each : workers)
    threads.emplace_back([&] { each->run(in_flight, most); });
  for (auto& each : threads)
    each.join();
  for (auto& each : workers)
    EXPECT_EQ(each->left(), 0);
  EXPECT_LE(most, GetParam());
  EXPECT_EQ(limits.in_flight("a"), 0u);
}

INSTANTIATE_TEST_SUITE_P(Caps, TenantLimitsByThreads,
                         ::testing::Values(1, 2, 3));

// A driver that has failed can't be called; its successor stands in its place.
TEST_F(TenantLimits, CallsWhoeverAskedLastInThePlaceOfOne) {
  cap(1);
  EXPECT_EQ(ask(1), verdict::granted);
  EXPECT_EQ(ask(2), verdict::busy);
  int heard = 0;
  EXPECT_EQ(limits_.enter("a", {2, [&] { ++heard; }}, start).what,
            verdict::busy);
  limits_.leave("a");
  EXPECT_EQ(heard, 1);
  EXPECT_TRUE(called_.empty());
}

} // namespace
} // namespace postrider
