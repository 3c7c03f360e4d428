#include "core/our_side.hpp"

#include <gtest/gtest.h>

#include <thread>
#include <vector>

namespace postrider {
namespace {

using namespace std::chrono_literals;
using time_point = our_side::time_point;

constexpr time_point start{1'000h};

attempt_result ended(attempt_error error) {
  attempt_result result;
  result.error = error;
  return result;
}

attempt_result answered(int status) {
  attempt_result result;
  result.status = status;
  return result;
}

bool times_out(our_side& side, std::int64_t endpoint, time_point now) {
  return side.is_ours(endpoint, ended(attempt_error::connect_timeout), now);
}

TEST(OurSide, LaysAnOutageOnThisNode) {
  our_side side;
  for (int i = 0; i < 4; ++i)
    EXPECT_FALSE(times_out(side, i, start));
  EXPECT_TRUE(side.admit(start));
  EXPECT_TRUE(times_out(side, 4, start));
  EXPECT_EQ(side.closed(start), start + 100ms);
  EXPECT_FALSE(side.admit(start));
}

TEST(OurSide, OpensWithTheFirstAnswer) {
  our_side side;
  for (int i = 0; i < 5; ++i)
    times_out(side, i, start);
  EXPECT_FALSE(side.is_ours(9, answered(500), start));
  EXPECT_EQ(side.closed(start), std::nullopt);
  EXPECT_TRUE(side.admit(start));
}

TEST(OurSide, RemembersAnswersThatCameBeforeAnyFailure) {
  our_side side;
  side.is_ours(9, answered(200), start);
  side.is_ours(9, answered(200), start + 1s);
  for (int i = 0; i < 10; ++i)
    EXPECT_FALSE(times_out(side, i, start + 2999ms));
  EXPECT_TRUE(times_out(side, 0, start + 3s));
}

// Answers of within a millisecond are one.
TEST(OurSide, MissesNoAnswerOfAQuickSuccession) {
  our_side side;
  auto last = start;
  for (int i = 0; i < 40'000; ++i) {
    last = start + i * 100us;
    side.is_ours(9, answered(200), last);
  }
  for (int i = 0; i < 10; ++i)
    EXPECT_FALSE(times_out(side, i, last + 1998ms));
}

TEST(OurSide, IsNotEndedByTheAnswerThatCameBeforeIt) {
  our_side side;
  side.is_ours(9, answered(200), start);
  side.short_of_resources(start);
  EXPECT_TRUE(side.is_ours(1, ended(attempt_error::local_resources), start));
  EXPECT_TRUE(times_out(side, 2, start));
  EXPECT_EQ(side.closed(start), start + 100ms);
}

TEST(OurSide, AlwaysTakesAShortageForItsOwn) {
  our_side side;
  side.is_ours(9, answered(200), start);
  EXPECT_TRUE(side.is_ours(1, ended(attempt_error::local_resources), start));
  EXPECT_EQ(side.closed(start), start + 100ms);
}

// Black holes that accept show that the network works.
TEST(OurSide, TakesAConnectionForAnAnswer) {
  our_side side;
  for (int i = 0; i < 4; ++i)
    times_out(side, i, start);
  auto silent = ended(attempt_error::timeout_response);
  silent.timings.connect = 10ms;
  silent.timings.total = 10s;
  // Made at start + 10 ms.
  EXPECT_FALSE(side.is_ours(7, silent, start + 10s));
  EXPECT_FALSE(times_out(side, 4, start + 10s));
}

TEST(OurSide, LeavesAnOutageThatBeganAfterTheConnection) {
  our_side side;
  for (int i = 0; i < 5; ++i)
    times_out(side, i, start);
  auto silent = ended(attempt_error::timeout_response);
  silent.timings.total = 10s;
  EXPECT_FALSE(side.is_ours(7, silent, start + 5s)); // made at start - 5 s
  EXPECT_TRUE(times_out(side, 7, start + 5s));
}

TEST(OurSide, JudgesNothingByWhatSaysNothing) {
  our_side side;
  for (int i = 0; i < 20; ++i)
    for (auto error :
         {attempt_error::dns_failure, attempt_error::internal,
          attempt_error::connect_failed, attempt_error::address_blocked})
      EXPECT_FALSE(side.is_ours(i, ended(error), start));
  EXPECT_EQ(side.closed(start), std::nullopt);
}

TEST(OurSide, HandsOutEachProbeOnceToManyThreads) {
  our_side side;
  for (int i = 0; i < 5; ++i)
    times_out(side, i, start);
  std::atomic<int> admitted{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&] {
      for (int i = 0; i < 1'000; ++i)
        admitted += side.admit(start + 100ms);
    });
  for (auto& each : threads)
    each.join();
  EXPECT_EQ(admitted, outage::probes);
}

TEST(OurSide, BlamesNobodyWrongWhileAnswersAndFailuresRace) {
  our_side side;
  std::atomic<int> time{0};
  std::atomic<int> wrong{0};
  side.is_ours(100, answered(200), start);
  std::vector<std::thread> threads;
  for (int t = 0; t < 2; ++t)
    threads.emplace_back([&] {
      for (int i = 0; i < 20'000; ++i)
        side.is_ours(100, answered(200), start + time++ * 1ms);
    });
  for (int t = 0; t < 2; ++t)
    threads.emplace_back([&, t] {
      for (int i = 0; i < 5'000; ++i)
        wrong += times_out(side, t * 50 + i % 50, start + time.load() * 1ms);
    });
  for (auto& each : threads)
    each.join();
  EXPECT_EQ(wrong, 0);
  auto end = start + time.load() * 1ms + 2s;
  bool ours = false;
  for (int i = 0; i < 5; ++i)
    ours = times_out(side, i, end);
  EXPECT_TRUE(ours);
}

} // namespace
} // namespace postrider
