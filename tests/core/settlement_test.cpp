#include "core/outcome.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace postrider {
namespace {

using namespace std::chrono_literals;
using std::chrono::milliseconds;

constexpr std::chrono::sys_seconds now =
    std::chrono::sys_days{std::chrono::year{2026} / std::chrono::January / 1};
constexpr milliseconds cap = 24h;

attempt_result answered(int status, std::string retry_after = {}) {
  attempt_result result;
  result.status = status;
  if (!retry_after.empty())
    result.headers.push_back({"retry-after", std::move(retry_after)});
  return result;
}

const retry_policy& shop() {
  return *find_retry_policy("shop");
}

settlement_plan plan(const attempt_result& result, int made,
                     milliseconds remaining = 96h) {
  return plan_settlement(result, shop(), made, remaining, now, 0.5, cap);
}

TEST(Settlement, EndsASuccessAtOnce) {
  auto next = plan(answered(204), 1, -1h); // even if the deadline is behind
  EXPECT_EQ(next.state, delivery_state::succeeded);
  EXPECT_EQ(next.reason, end_reason::none);
}

// S3.58
TEST(Settlement, FailsAtOnceWhatNoRetryCanMend) {
  EXPECT_EQ(plan(answered(400), 1).state, delivery_state::failed);
  EXPECT_EQ(plan(answered(400), 1).reason, end_reason::rejected);
  EXPECT_EQ(plan(answered(302), 1).reason, end_reason::redirected);
  EXPECT_EQ(plan(answered(410), 1).reason, end_reason::gone);
}

// S1.55
TEST(Settlement, ClimbsTheLadderAndIsExhausted) {
  std::vector<milliseconds> waits{5s, 30s, 5min, 30min, 4h};
  for (int made = 1; made <= 5; ++made) {
    auto next = plan(answered(500), made);
    EXPECT_EQ(next.state, delivery_state::retrying);
    EXPECT_EQ(next.wait, waits[static_cast<std::size_t>(made) - 1]);
  }
  auto end = plan(answered(500), 6);
  EXPECT_EQ(end.state, delivery_state::failed);
  EXPECT_EQ(end.reason, end_reason::exhausted);
}

// G7: what never began is given back as it was, on the last attempt too.
TEST(Settlement, GivesADeferralBack) {
  attempt_result result;
  result.error = attempt_error::local_resources;
  auto next = plan(result, 6, 0ms);
  EXPECT_EQ(next.state, delivery_state::queued);
  EXPECT_EQ(next.reason, end_reason::none);
}

// S3.64
TEST(Settlement, ExpiresWhenTheWaitWouldEndPastTheDeadline) {
  EXPECT_EQ(plan(answered(500), 1, 5s).state, delivery_state::retrying);
  auto late = plan(answered(500), 1, 4999ms);
  EXPECT_EQ(late.state, delivery_state::failed);
  EXPECT_EQ(late.reason, end_reason::expired);
  EXPECT_EQ(plan(answered(500), 1, -1ms).reason, end_reason::expired);
  EXPECT_EQ(plan(answered(429, "7200"), 1, 1h).reason, end_reason::expired);
}

// RESP-07
TEST(Settlement, WaitsAsLongAsTheReceiverAsks) {
  for (auto value :
       {"120", " 120 ", "Thu, 01 Jan 2026 00:02:00 GMT",
        "Thursday, 01-Jan-26 00:02:00 GMT", "Thu Jan  1 00:02:00 2026"})
    for (int status : {429, 503})
      EXPECT_EQ(plan(answered(status, value), 1).wait, 120s) << value;
}

// RESP-07
TEST(Settlement, NeverGoesBelowTheLadder) {
  for (auto value : {"0", "1", "-1", "soon", "120, 120", "1e3", "0x10",
                     "Wed, 31 Dec 2025 23:00:00 GMT"})
    EXPECT_EQ(plan(answered(503, value), 1).wait, 5s) << value;
}

TEST(Settlement, HeedsRetryAfterOnlyOn429And503) {
  for (int status : {404, 408, 425, 500, 502, 504})
    EXPECT_EQ(plan(answered(status, "120"), 1).wait, 5s) << status;
}

// RESP-08
TEST(Settlement, NeverWaitsLongerThanTheCap) {
  for (auto value :
       {"2147484", "4294967296", "9223372037", "9223372036854775807",
        "99999999999999999999", "Mon, 01 Jan 2035 00:00:00 GMT"})
    EXPECT_EQ(plan(answered(503, value), 1).wait, cap) << value;
}

TEST(Settlement, BuysNoAttemptByRetryAfter) {
  auto end = plan(answered(503, "1"), 6);
  EXPECT_EQ(end.reason, end_reason::exhausted);
}

TEST(Settlement, KeepsALadderStepThatIsLongerThanTheCap) {
  auto next =
      plan_settlement(answered(429, "99999"), shop(), 5, 96h, now, 0.5, 1h);
  EXPECT_EQ(next.wait, 4h);
}

TEST(Settlement, PausesTheEndpointForAsLongAsItAsks) {
  EXPECT_EQ(plan(answered(429, "120"), 1).pause, 120s);
  EXPECT_EQ(plan(answered(503, "1"), 1).pause, 1s); // shorter than the ladder
  EXPECT_EQ(plan(answered(503, "1"), 1).wait, 5s);
  EXPECT_EQ(plan(answered(503, "9999999"), 1).pause, cap);
  EXPECT_EQ(plan(answered(503), 1).pause, 0ms);
  for (int status : {200, 302, 404, 500, 502})
    EXPECT_EQ(plan(answered(status, "120"), 1).pause, 0ms) << status;
}

// The others of its endpoint wait, although this one has ended.
TEST(Settlement, PausesTheEndpointWhateverBecomesOfTheDelivery) {
  EXPECT_EQ(plan(answered(503, "120"), 6).state, delivery_state::failed);
  EXPECT_EQ(plan(answered(503, "120"), 6).pause, 120s);
  EXPECT_EQ(plan(answered(503, "120"), 1, 1s).reason, end_reason::expired);
  EXPECT_EQ(plan(answered(503, "120"), 1, 1s).pause, 120s);
  auto none = std::get<status_set>(parse_retry_statuses("500"));
  auto refused = plan_settlement(answered(429, "120"), shop(), 1, 96h, now, 0.5,
                                 cap, &none);
  EXPECT_EQ(refused.reason, end_reason::rejected);
  EXPECT_EQ(refused.pause, 120s);
}

TEST(Settlement, TellsWhatTheAttemptSaysOfHealth) {
  EXPECT_EQ(plan(answered(200), 1).effect, health_effect::clears);
  EXPECT_EQ(plan(answered(400), 1).effect, health_effect::none);
  EXPECT_EQ(plan(answered(401), 1).effect, health_effect::auth);
  EXPECT_EQ(plan(answered(429), 1).effect, health_effect::rate_limited);
  EXPECT_EQ(plan(answered(410), 1).effect, health_effect::gone);
  EXPECT_FALSE(plan(answered(410), 1).asked);
  for (int made : {1, 6}) // retried, exhausted
    EXPECT_EQ(plan(answered(500), made).effect, health_effect::transient);
  EXPECT_EQ(plan(answered(500), 1, 1ms).effect, health_effect::transient);
  attempt_result result;
  result.error = attempt_error::local_resources;
  EXPECT_EQ(plan(result, 1).effect, health_effect::none);
}

TEST(Settlement, TellsThatTheReceiverAskedForTheEnd) {
  auto result = answered(200);
  result.headers.push_back({"webhook-delivery", "disable"});
  auto next = plan(result, 1);
  EXPECT_EQ(next.state, delivery_state::succeeded);
  EXPECT_EQ(next.effect, health_effect::gone);
  EXPECT_TRUE(next.asked);
}

TEST(Settlement, RetriesByTheExpressionOfTheEndpoint) {
  auto given = std::get<status_set>(parse_retry_statuses("400,!500"));
  auto by = [&](int status) {
    return plan_settlement(answered(status), shop(), 1, 96h, now, 0.5, cap,
                           &given);
  };
  EXPECT_EQ(by(400).state, delivery_state::retrying);
  EXPECT_EQ(by(500).state, delivery_state::failed);
  EXPECT_EQ(by(500).reason, end_reason::rejected);
  EXPECT_EQ(by(200).state, delivery_state::succeeded);
}

// RESP-08, RESP-10
RC_GTEST_PROP(Settlement, KeepsEveryBound, (const std::string& retry_after)) {
  auto names = retry_policy_names();
  const auto& policy = *find_retry_policy(*rc::gen::elementOf(names));
  auto made = *rc::gen::inRange(1, 20);
  auto random = *rc::gen::inRange(0, 1000) / 1e3;
  milliseconds remaining{*rc::gen::inRange<std::int64_t>(-1'000, 400'000'000)};
  auto value = *rc::gen::oneOf(
      rc::gen::just(retry_after),
      rc::gen::map(rc::gen::arbitrary<std::uint64_t>(),
                   [](std::uint64_t count) { return std::to_string(count); }));
  auto status = *rc::gen::inRange(100, 600);
  auto next = plan_settlement(answered(status, value), policy, made, remaining,
                              now, random, cap);
  RC_ASSERT(next.state != delivery_state::queued);
  RC_ASSERT((next.state == delivery_state::failed)
            == (next.reason != end_reason::none));
  if (next.state == delivery_state::retrying) {
    auto base = *next_wait(policy, made, random);
    RC_ASSERT(made < policy.max_attempts);
    RC_ASSERT(next.wait >= base);
    RC_ASSERT(next.wait <= std::max(base, cap));
    RC_ASSERT(next.wait <= remaining);
    RC_ASSERT(next.wait >= next.pause);
  }
  RC_ASSERT(next.pause >= 0ms && next.pause <= cap);
}

} // namespace
} // namespace postrider
