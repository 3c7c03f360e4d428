#include "core/outage.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <deque>
#include <map>
#include <vector>

namespace postrider {
namespace {

using namespace std::chrono_literals;
using std::chrono::milliseconds;
using time_point = outage::time_point;

constexpr time_point start{1'000h};

/// One in which five endpoints have just failed.
outage begun(time_point at = start) {
  outage out;
  for (int i = 0; i < 5; ++i)
    out.suspect(i, at);
  return out;
}

TEST(Outage, BeginsWhenTheFifthEndpointFails) {
  outage rules;
  for (int i = 0; i < 4; ++i)
    EXPECT_FALSE(rules.suspect(i, start + i * 1s));
  EXPECT_EQ(rules.closed(start + 3s), std::nullopt);
  EXPECT_TRUE(rules.suspect(4, start + 4s));
  EXPECT_EQ(rules.closed(start + 4s), start + 4100ms);
  EXPECT_TRUE(rules.suspect(0, start + 4s));
}

TEST(Outage, IsNeverConcludedFromFourEndpoints) {
  outage rules;
  for (int i = 0; i < 10'000; ++i)
    EXPECT_FALSE(rules.suspect(i % 4, start + i * 10ms));
  EXPECT_TRUE(rules.admit(start + 100s));
}

TEST(Outage, ForgetsFailuresOfLongAgo) {
  outage rules;
  rules.suspect(0, start);
  for (int i = 1; i < 4; ++i)
    rules.suspect(i, start + 10s);
  EXPECT_FALSE(rules.suspect(4, start + 30s + 1ms)); // the first is too old
  EXPECT_TRUE(rules.suspect(0, start + 31s));        // it failed again
}

TEST(Outage, ReckonsWithTheLatestFailures) {
  outage rules;
  for (int i = 0; i < 4; ++i)
    rules.suspect(i, start);
  for (int i = 10; i < 14; ++i)
    EXPECT_FALSE(rules.suspect(i, start + 31s));
  EXPECT_TRUE(rules.suspect(14, start + 32s));
}

TEST(Outage, IsNotConcludedWhereSomethingCameBackMeanwhile) {
  outage rules;
  rules.suspect(0, start);
  rules.suspect(1, start);
  rules.answered(start + 1s);
  for (int i = 2; i < 6; ++i)
    EXPECT_FALSE(rules.suspect(i, start + 10s));
  EXPECT_TRUE(rules.suspect(6, start + 10s));
}

TEST(Outage, IsNotConcludedWithinTwoSecondsOfAnAnswer) {
  outage rules;
  rules.answered(start);
  for (int i = 0; i < 10; ++i)
    EXPECT_FALSE(rules.suspect(i, start + 1999ms));
  EXPECT_TRUE(rules.suspect(0, start + 2s));
}

TEST(Outage, EndsAtOnceWithTheFirstAnswer) {
  auto rules = begun();
  EXPECT_FALSE(rules.admit(start));
  rules.answered(start + 1ms);
  EXPECT_FALSE(rules.in_force());
  EXPECT_EQ(rules.closed(start + 1ms), std::nullopt);
  for (int i = 0; i < 100; ++i)
    EXPECT_TRUE(rules.admit(start + 1ms));
  // And all is forgotten.
  for (int i = 0; i < 4; ++i)
    EXPECT_FALSE(rules.suspect(i, start + 10s));
}

TEST(Outage, IsNotEndedByAnAnswerOfBefore) {
  auto rules = begun();
  rules.answered(start - 1ms);
  EXPECT_TRUE(rules.in_force());
}

TEST(Outage, PausesTwiceAsLongEachTimeUpToFiveSeconds) {
  auto rules = begun();
  auto now = start;
  for (auto pause :
       {100ms, 200ms, 400ms, 800ms, 1600ms, 3200ms, 5000ms, 5000ms}) {
    EXPECT_EQ(rules.closed(now), now + pause);
    EXPECT_FALSE(rules.admit(now + pause - 1ms));
    now += pause;
    EXPECT_EQ(rules.closed(now), std::nullopt);
    for (int i = 0; i < outage::probes; ++i)
      EXPECT_TRUE(rules.admit(now));
    EXPECT_FALSE(rules.admit(now));
  }
}

TEST(Outage, BeginsWithAShortPauseAgainAfterAnAnswer) {
  auto rules = begun();
  auto now = start + 100ms;
  for (int i = 0; i < outage::probes; ++i)
    rules.admit(now);
  rules.answered(now);
  for (int i = 0; i < 5; ++i)
    rules.suspect(i, now + 3s);
  EXPECT_EQ(rules.closed(now + 3s), now + 3100ms);
}

// Few probes at a time: of few endpoints, by chance.
TEST(Outage, BlamesNoEndpointWhileItLasts) {
  auto rules = begun();
  for (auto now = start; now < start + 10min; now += 5s)
    EXPECT_TRUE(rules.suspect(3, now));
}

TEST(Outage, IsNotProlongedByFailuresOfThoseInFlight) {
  auto rules = begun();
  for (int i = 0; i < 1'000; ++i)
    rules.suspect(i, start + 50ms);
  EXPECT_EQ(rules.closed(start + 50ms), start + 100ms);
}

TEST(Outage, LapsesWhenNothingFailsForTwoMinutes) {
  auto rules = begun();
  EXPECT_TRUE(rules.suspect(0, start + 2min));
  EXPECT_FALSE(rules.suspect(0, start + 4min + 1ms));
  EXPECT_FALSE(rules.in_force());
}

TEST(Outage, BeginsWhenThisNodeRunsShort) {
  outage rules;
  rules.answered(start);
  rules.short_of_resources(start);
  EXPECT_EQ(rules.closed(start), start + 100ms);
  for (int i = 0; i < 100; ++i) // all that were in flight
    rules.short_of_resources(start + 1ms);
  EXPECT_EQ(rules.closed(start + 1ms), start + 100ms);
  rules.answered(start + 2ms);
  EXPECT_EQ(rules.closed(start + 2ms), std::nullopt);
}

// C-20: the way out is cut for ten minutes, and a connect takes 10 s to fail.
TEST(Outage, BurnsFewAttemptsInALongOne) {
  constexpr auto timeout = 10s;
  outage rules;
  std::map<int, int> burnt;
  std::deque<std::pair<time_point, int>> in_flight;
  int turn = 0;
  std::size_t most = 0;
  for (auto now = start; now < start + 10min; now += 10ms) {
    while (!in_flight.empty() && in_flight.front().first <= now) {
      auto endpoint = in_flight.front().second;
      in_flight.pop_front();
      if (!rules.suspect(endpoint, now))
        ++burnt[endpoint];
    }
    // Twenty endpoints with one attempt each at a time.
    if (now < start + timeout ? in_flight.size() < 20
                              : !rules.closed(now) && rules.admit(now))
      in_flight.emplace_back(now + timeout, turn++ % 20);
    if (now > start + 1min)
      most = std::max(most, in_flight.size());
  }
  int all = 0;
  for (auto [endpoint, many] : burnt) {
    EXPECT_LE(many, 1) << endpoint;
    all += many;
  }
  EXPECT_EQ(all, 4);
  EXPECT_LE(most, 12u);
}

RC_GTEST_PROP(Outage, LetsNoMoreBeginThanFourAfterEachPause, ()) {
  auto rules = begun();
  auto now = start;
  std::vector<time_point> begun_at;
  for (int i = 0; i < 200; ++i) {
    now += milliseconds{*rc::gen::inRange(0, 2'000)};
    if (*rc::gen::arbitrary<bool>())
      rules.suspect(*rc::gen::inRange(0, 50), now);
    bool open = !rules.closed(now);
    bool may = rules.admit(now);
    RC_ASSERT(may == open);
    if (may)
      begun_at.push_back(now);
  }
  // The pauses so far, if each began as early as it could.
  auto bound = [](std::chrono::nanoseconds span) {
    int pauses = 0;
    milliseconds pause{100};
    for (std::chrono::nanoseconds left = span; left >= pause; ++pauses) {
      left -= pause;
      pause = std::min(2 * pause, milliseconds{5'000});
    }
    return static_cast<std::size_t>(4 * pauses);
  };
  for (std::size_t i = 0; i < begun_at.size(); ++i)
    RC_ASSERT(i + 1 <= bound(begun_at[i] - start));
}

RC_GTEST_PROP(Outage, NeedsFiveEndpointsAndSilence, ()) {
  outage rules;
  auto now = start;
  std::optional<time_point> answered;
  std::map<int, time_point> failed;
  for (int i = 0; i < 100; ++i) {
    now += milliseconds{*rc::gen::inRange(0, 4'000)};
    if (*rc::gen::inRange(0, 8) == 0) {
      rules.answered(now);
      answered = now;
      failed.clear();
      RC_ASSERT(!rules.in_force());
      continue;
    }
    auto was = rules.in_force();
    auto endpoint = *rc::gen::inRange(0, 9);
    auto ours = rules.suspect(endpoint, now);
    failed[endpoint] = now;
    int fresh = 0;
    for (auto [which, at] : failed)
      fresh += now - at <= 30s;
    bool begins = fresh >= 5 && !(answered && now - *answered < 2s);
    RC_ASSERT(ours == (was || begins));
  }
}

attempt_result ended(attempt_error error) {
  attempt_result result;
  result.error = error;
  return result;
}

TEST(NetworkSign, TakesWhateverCameBackForLife) {
  attempt_result result;
  for (int status : {200, 404, 503}) {
    result.status = status;
    EXPECT_EQ(sign_of(result), network_sign::works);
  }
  for (auto error :
       {attempt_error::connect_refused, attempt_error::connection_reset,
        attempt_error::tls_certificate, attempt_error::malformed_response,
        attempt_error::headers_too_large})
    EXPECT_EQ(sign_of(ended(error)), network_sign::works) << to_string(error);
}

TEST(NetworkSign, SuspectsTheSilenceBeforeAConnection) {
  for (auto error :
       {attempt_error::connect_timeout, attempt_error::dns_unavailable,
        attempt_error::network_unreachable})
    EXPECT_EQ(sign_of(ended(error)), network_sign::suspect) << to_string(error);
  EXPECT_EQ(sign_of(ended(attempt_error::local_resources)), network_sign::ours);
}

TEST(NetworkSign, MakesNothingOfTheRest) {
  for (auto error :
       {attempt_error::none, attempt_error::internal, attempt_error::cancelled,
        attempt_error::address_blocked, attempt_error::dns_failure,
        attempt_error::connect_failed, attempt_error::tls_failure,
        attempt_error::timeout_response, attempt_error::write_timeout})
    EXPECT_EQ(sign_of(ended(error)), network_sign::none) << to_string(error);
}

TEST(NetworkSign, KnowsWhenASilentReceiverWasReached) {
  auto silent = ended(attempt_error::timeout_response);
  silent.timings.dns = 100ms;
  silent.timings.connect = 900ms;
  silent.timings.total = 15s;
  EXPECT_EQ(connected_ago(silent), 14s);
  silent.connection_reused = true; // it was made at another time
  EXPECT_EQ(connected_ago(silent), std::nullopt);
  EXPECT_EQ(connected_ago(ended(attempt_error::connect_timeout)), std::nullopt);
}

} // namespace
} // namespace postrider
