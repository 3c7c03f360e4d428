#include "core/outcome.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <set>

namespace postrider {
namespace {

using action = classification::action;

attempt_result answered(int status, std::vector<header> headers = {}) {
  attempt_result result;
  result.status = status;
  result.headers = std::move(headers);
  return result;
}

attempt_result silent(attempt_error error) {
  attempt_result result;
  result.error = error;
  return result;
}

struct row {
  int first;
  int last;
  action what;
  end_reason reason;
  health_effect health;
};

// The table of DESIGN 6; S3.57, S3.58, RESP-05, RESP-11. Later rows win.
constexpr row table[] = {
    {100, 199, action::fail, end_reason::rejected, health_effect::transient},
    {200, 299, action::succeed, end_reason::none, health_effect::clears},
    {300, 399, action::fail, end_reason::redirected, health_effect::transient},
    {400, 499, action::fail, end_reason::rejected, health_effect::none},
    {401, 401, action::fail, end_reason::rejected, health_effect::auth},
    {403, 403, action::fail, end_reason::rejected, health_effect::auth},
    {404, 404, action::retry, end_reason::none, health_effect::transient},
    {408, 408, action::retry, end_reason::none, health_effect::transient},
    {410, 410, action::fail, end_reason::gone, health_effect::gone},
    {425, 425, action::retry, end_reason::none, health_effect::transient},
    {429, 429, action::retry, end_reason::none, health_effect::rate_limited},
    {500, 599, action::retry, end_reason::none, health_effect::transient},
};

TEST(Classification, GivesEveryStatusTheClassOfTheTable) {
  for (int status = 100; status <= 599; ++status) {
    const row* expected = nullptr;
    for (const auto& candidate : table)
      if (candidate.first <= status && status <= candidate.last)
        expected = &candidate;
    ASSERT_TRUE(expected) << status;
    auto verdict = classify(answered(status));
    EXPECT_EQ(verdict.what, expected->what) << status;
    EXPECT_EQ(verdict.reason, expected->reason) << status;
    EXPECT_EQ(verdict.health, expected->health) << status;
  }
}

TEST(Classification, TakesWhatIsNoHttpStatusForSilence) {
  for (int status : {-1, 0, 99, 600, 999}) {
    EXPECT_EQ(classify(answered(status)).what, action::retry) << status;
    EXPECT_EQ(classify(answered(status)).health, health_effect::transient);
  }
}

// S3.9, RESP-02, RESP-13, HDR-08
TEST(Classification, DecidesByTheStatusLineWhateverCameAfter) {
  for (auto error :
       {attempt_error::connection_reset, attempt_error::timeout_response,
        attempt_error::headers_too_large, attempt_error::malformed_response,
        attempt_error::cancelled}) {
    auto result = answered(200);
    result.error = error;
    result.body_truncated = true;
    EXPECT_EQ(classify(result).what, action::succeed);
    result.status = 400;
    EXPECT_EQ(classify(result).what, action::fail);
  }
}

// S3.57
TEST(Classification, RetriesWhatNobodyAnswered) {
  for (auto error :
       {attempt_error::dns_failure, attempt_error::dns_unavailable,
        attempt_error::network_unreachable, attempt_error::connect_refused,
        attempt_error::connect_timeout, attempt_error::connect_failed,
        attempt_error::tls_failure, attempt_error::tls_certificate,
        attempt_error::write_timeout, attempt_error::timeout_response,
        attempt_error::connection_reset, attempt_error::malformed_response,
        attempt_error::headers_too_large}) {
    EXPECT_EQ(classify(silent(error)).what, action::retry) << to_string(error);
    EXPECT_EQ(classify(silent(error)).health, health_effect::transient);
  }
}

TEST(Classification, DoesNotBlameTheEndpointForOurOwnFaults) {
  auto verdict = classify(silent(attempt_error::internal));
  EXPECT_EQ(verdict.what, action::retry);
  EXPECT_EQ(verdict.health, health_effect::none);
}

// S3.63, G7
TEST(Classification, DefersWhatNeverBegan) {
  for (auto error : {attempt_error::cancelled, attempt_error::local_resources})
    EXPECT_EQ(classify(silent(error)).what, action::defer);
}

TEST(Classification, FailsARefusedAddressForGood) {
  auto verdict = classify(silent(attempt_error::address_blocked));
  EXPECT_EQ(verdict.what, action::fail);
  EXPECT_EQ(verdict.reason, end_reason::blocked_address);
  EXPECT_EQ(verdict.health, health_effect::none);
}

TEST(Classification, StopsForAReceiverThatAsksForIt) {
  for (int status : {400, 404, 429, 500, 503}) {
    auto verdict =
        classify(answered(status, {{"Webhook-Delivery", "Disable"}}));
    EXPECT_EQ(verdict.what, action::fail) << status;
    EXPECT_EQ(verdict.reason, end_reason::gone) << status;
    EXPECT_EQ(verdict.health, health_effect::gone) << status;
  }
  auto other = classify(answered(500, {{"webhook-delivery", "enable"}}));
  EXPECT_EQ(other.what, action::retry);
}

// G6: the event has arrived, whatever the receiver wants of the next one.
TEST(Classification, KeepsASuccessThatAsksToStop) {
  auto verdict = classify(answered(200, {{"webhook-delivery", "disable"}}));
  EXPECT_EQ(verdict.what, action::succeed);
  EXPECT_EQ(verdict.health, health_effect::gone);
}

TEST(Classification, TellsThatItWasAskedToStopAndNotTold410) {
  EXPECT_FALSE(classify(answered(410)).asked);
  EXPECT_FALSE(classify(answered(200)).asked);
  for (int status : {200, 410, 500})
    EXPECT_TRUE(
        classify(answered(status, {{"webhook-delivery", "disable"}})).asked);
}

TEST(Classification, AbortsWhatItsReceiverWantsNoMoreOf) {
  for (int status : {302, 400, 401, 404, 410, 429, 500, 503}) {
    auto verdict =
        classify(answered(status, {{"Webhook-Delivery", "Abort-Message"}}));
    EXPECT_EQ(verdict.what, action::fail) << status;
    EXPECT_EQ(verdict.reason, end_reason::aborted) << status;
    EXPECT_EQ(verdict.health, health_effect::none) << status;
    EXPECT_FALSE(verdict.asked);
  }
}

// G6
TEST(Classification, KeepsASuccessThatAsksToAbort) {
  auto verdict =
      classify(answered(204, {{"webhook-delivery", "abort-message"}}));
  EXPECT_EQ(verdict.what, action::succeed);
  EXPECT_EQ(verdict.reason, end_reason::none);
  EXPECT_EQ(verdict.health, health_effect::clears);
}

status_set expression(std::string_view text) {
  return std::get<status_set>(parse_retry_statuses(text));
}

// S3, part 2.3.5
TEST(Classification, RetriesWhatAnExpressionNames) {
  auto all = expression("300-599");
  for (int status = 300; status <= 599; ++status) {
    auto verdict = classify(answered(status), &all);
    EXPECT_EQ(verdict.what, action::retry) << status;
    EXPECT_EQ(verdict.reason, end_reason::none) << status;
    EXPECT_EQ(verdict.health, status == 429 ? health_effect::rate_limited
                                            : health_effect::transient)
        << status;
  }
}

TEST(Classification, FailsWhatAnExpressionDoesNotName) {
  auto none = expression("500,!500");
  for (int status = 300; status <= 599; ++status) {
    auto verdict = classify(answered(status), &none);
    EXPECT_EQ(verdict.what, action::fail) << status;
    auto reason = status < 400    ? end_reason::redirected
                  : status == 410 ? end_reason::gone
                                  : end_reason::rejected;
    EXPECT_EQ(verdict.reason, reason) << status;
    auto effect = status < 400                     ? health_effect::transient
                  : status == 401 || status == 403 ? health_effect::auth
                  : status == 410                  ? health_effect::gone
                  : status == 429                  ? health_effect::rate_limited
                  : status >= 500                  ? health_effect::transient
                                                   : health_effect::none;
    EXPECT_EQ(verdict.health, effect) << status;
  }
}

TEST(Classification, IsTheSameWithTheUsualOnesWrittenOut) {
  for (int status = 100; status <= 599; ++status) {
    auto usual = classify(answered(status));
    auto written = classify(answered(status), &usual_retry_statuses());
    EXPECT_EQ(written.what, usual.what) << status;
    EXPECT_EQ(written.reason, usual.reason) << status;
    EXPECT_EQ(written.health, usual.health) << status;
  }
}

TEST(Classification, LetsNoExpressionTouchASuccessOrSilence) {
  auto none = expression("500,!500");
  EXPECT_EQ(classify(answered(200), &none).what, action::succeed);
  EXPECT_EQ(classify(answered(0), &none).what, action::retry);
  EXPECT_EQ(classify(silent(attempt_error::timeout_response), &none).what,
            action::retry);
  auto all = expression("300-599");
  EXPECT_EQ(classify(answered(101), &all).what, action::fail);
  EXPECT_EQ(classify(silent(attempt_error::address_blocked), &all).what,
            action::fail);
}

TEST(Classification, LetsTheReceiverOverruleAnExpression) {
  auto all = expression("300-599");
  auto stop = classify(answered(500, {{"webhook-delivery", "disable"}}), &all);
  EXPECT_EQ(stop.what, action::fail);
  EXPECT_EQ(stop.health, health_effect::gone);
  auto abort =
      classify(answered(500, {{"webhook-delivery", "abort-message"}}), &all);
  EXPECT_EQ(abort.reason, end_reason::aborted);
}

RC_GTEST_PROP(Classification, GivesAReasonExactlyWhenItFails, ()) {
  attempt_result result;
  if (*rc::gen::arbitrary<bool>())
    result.status = *rc::gen::inRange(0, 1000);
  auto last = static_cast<int>(attempt_error::internal);
  result.error = static_cast<attempt_error>(*rc::gen::inRange(0, last + 1));
  auto verdict = classify(result);
  RC_ASSERT((verdict.what == action::fail)
            == (verdict.reason != end_reason::none));
}

TEST(DeliveryState, IsReadByTheNameItTells) {
  std::set<std::string_view> names;
  for (auto state : {delivery_state::queued, delivery_state::retrying,
                     delivery_state::held, delivery_state::succeeded,
                     delivery_state::failed, delivery_state::cancelled}) {
    EXPECT_EQ(parse_delivery_state(to_string(state)), state);
    names.insert(to_string(state));
  }
  EXPECT_EQ(names.size(), 6u);
  for (auto text : {"", "running", "Queued", "failed "})
    EXPECT_FALSE(parse_delivery_state(text)) << text;
}

TEST(EndReason, IsReadByTheNameItTells) {
  std::set<std::string_view> names;
  auto last = static_cast<int>(end_reason::crashed);
  for (int i = 0; i <= last; ++i) {
    auto reason = static_cast<end_reason>(i);
    EXPECT_EQ(parse_end_reason(to_string(reason)), reason);
    names.insert(to_string(reason));
  }
  EXPECT_EQ(names.size(), static_cast<std::size_t>(last) + 1);
  for (auto text : {"Gone", "gone ", "held"})
    EXPECT_FALSE(parse_end_reason(text)) << text;
}

// They stand in rows that outlive this program.
TEST(EndReason, HasTheNamesThatSqlHas) {
  EXPECT_EQ(to_string(end_reason::none), "");
  EXPECT_EQ(to_string(end_reason::blocked_address), "blocked_address");
  EXPECT_EQ(to_string(end_reason::endpoint_deleted), "endpoint_deleted");
  EXPECT_EQ(to_string(end_reason::aborted), "aborted");
  EXPECT_EQ(to_string(end_reason::endpoint_disabled), "endpoint_disabled");
  EXPECT_EQ(to_string(end_reason::shed), "shed");
  EXPECT_EQ(to_string(end_reason::evicted), "evicted");
  EXPECT_EQ(to_string(end_reason::unusable), "unusable");
}

} // namespace
} // namespace postrider
