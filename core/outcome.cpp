#include "core/outcome.hpp"

#include <algorithm>
#include <array>

namespace postrider {

namespace {

using std::chrono::milliseconds;
using enum classification::action;

constexpr std::array<std::string_view, 6> state_names{
    "queued", "retrying", "held", "succeeded", "failed", "cancelled"};

constexpr std::array<std::string_view, 14> reason_names{"",
                                                        "exhausted",
                                                        "expired",
                                                        "rejected",
                                                        "redirected",
                                                        "gone",
                                                        "blocked_address",
                                                        "endpoint_deleted",
                                                        "aborted",
                                                        "endpoint_disabled",
                                                        "shed",
                                                        "evicted",
                                                        "unusable",
                                                        "crashed"};
static_assert(reason_names.size()
              == static_cast<std::size_t>(end_reason::crashed) + 1);

// What the receiver says of deliveries beside the status.
bool says(const attempt_result& result, std::string_view word) {
  auto value = find_header(result.headers, "webhook-delivery");
  return value && same_header_name(*value, word);
}

classification classify_status(int status) {
  if (status < 100 || status > 599) // no HTTP; as if nothing had come
    return {retry, end_reason::none, health_effect::transient};
  if (status < 200) // an upgrade that nobody asked for (RESP-05)
    return {fail, end_reason::rejected, health_effect::transient};
  if (status < 300)
    return {succeed, end_reason::none, health_effect::clears};
  if (status < 400)
    return {fail, end_reason::redirected, health_effect::transient};
  if (status >= 500)
    return {retry, end_reason::none, health_effect::transient};
  switch (status) {
  case 404:
  case 408:
  case 425:
    return {retry, end_reason::none, health_effect::transient};
  case 429:
    return {retry, end_reason::none, health_effect::rate_limited};
  case 401:
  case 403:
    return {fail, end_reason::rejected, health_effect::auth};
  case 410:
    return {fail, end_reason::gone, health_effect::gone};
  default:
    return {fail, end_reason::rejected, health_effect::none};
  }
}

// The expression decides what becomes of the delivery. For the endpoint's
// health, a status that its owner has tried again is a failure, and one that
// he has not is none, unless it says more than that.
classification by_expression(int status, const status_set& retryable) {
  auto verdict = classify_status(status);
  if (retryable.has(status))
    return {retry, end_reason::none,
            status == 429 ? health_effect::rate_limited
                          : health_effect::transient};
  if (verdict.what == fail)
    return verdict;
  bool temporary = verdict.health == health_effect::transient && status < 500;
  return {fail, end_reason::rejected,
          temporary ? health_effect::none : verdict.health};
}

classification classify_fault(attempt_error error) {
  switch (error) {
  case attempt_error::cancelled:
  case attempt_error::local_resources:
    return {defer, end_reason::none, health_effect::none};
  case attempt_error::address_blocked:
    return {fail, end_reason::blocked_address, health_effect::none};
  case attempt_error::none: // neither status nor fault: a defect of ours
  case attempt_error::internal:
    return {retry, end_reason::none, health_effect::none};
  default:
    return {retry, end_reason::none, health_effect::transient};
  }
}

// How long the receiver asks to be left alone; zero when it does not.
milliseconds asked_pause(const attempt_result& result,
                         std::chrono::sys_seconds now, milliseconds cap) {
  if (result.status != 429 && result.status != 503)
    return milliseconds{0};
  auto value = find_header(result.headers, "retry-after");
  if (!value)
    return milliseconds{0};
  auto pause = parse_retry_after(*value, now);
  return pause ? std::min<milliseconds>(*pause, cap) : milliseconds{0};
}

} // namespace

std::string_view to_string(delivery_state state) {
  return state_names[static_cast<std::size_t>(state)];
}

std::optional<delivery_state> parse_delivery_state(std::string_view text) {
  auto at = std::ranges::find(state_names, text);
  if (at == state_names.end())
    return std::nullopt;
  return static_cast<delivery_state>(at - state_names.begin());
}

std::string_view to_string(end_reason reason) {
  return reason_names[static_cast<std::size_t>(reason)];
}

std::optional<end_reason> parse_end_reason(std::string_view text) {
  auto at = std::ranges::find(reason_names, text);
  if (at == reason_names.end())
    return std::nullopt;
  return static_cast<end_reason>(at - reason_names.begin());
}

classification classify(const attempt_result& result,
                        const status_set* retryable) {
  if (!result.status)
    return classify_fault(result.error);
  auto status = *result.status;
  auto verdict = retryable && status >= 300 && status <= 599
                     ? by_expression(status, *retryable)
                     : classify_status(status);
  if (says(result, "disable")) {
    verdict.health = health_effect::gone;
    verdict.asked = true;
    if (verdict.what != succeed) {
      verdict.what = fail;
      verdict.reason = end_reason::gone;
    }
  } else if (verdict.what != succeed && says(result, "abort-message")) {
    return {fail, end_reason::aborted, health_effect::none};
  }
  return verdict;
}

settlement_plan plan_settlement(const attempt_result& result,
                                const retry_policy& policy, int made,
                                milliseconds remaining,
                                std::chrono::sys_seconds now, double random,
                                milliseconds retry_after_cap,
                                const status_set* retryable) {
  auto verdict = classify(result, retryable);
  settlement_plan plan;
  plan.effect = verdict.health;
  plan.asked = verdict.asked;
  plan.pause = asked_pause(result, now, retry_after_cap);
  auto fails = [&plan](end_reason reason) {
    plan.state = delivery_state::failed;
    plan.reason = reason;
    return plan;
  };
  switch (verdict.what) {
  case succeed:
    plan.state = delivery_state::succeeded;
    return plan;
  case fail:
    return fails(verdict.reason);
  case defer:
    plan.state = delivery_state::queued;
    return plan;
  case retry:
    break;
  }
  auto wait = next_wait(policy, made, random);
  if (!wait)
    return fails(end_reason::exhausted);
  *wait = std::max(*wait, plan.pause);
  if (*wait > remaining)
    return fails(end_reason::expired);
  plan.state = delivery_state::retrying;
  plan.wait = *wait;
  return plan;
}

} // namespace postrider
