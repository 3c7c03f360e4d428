#include "core/outcome.hpp"

#include <algorithm>
#include <array>

namespace postrider {

namespace {

using std::chrono::milliseconds;
using enum classification::action;

constexpr std::array<std::string_view, 6> state_names{
    "queued", "retrying", "held", "succeeded", "failed", "cancelled"};

bool asks_to_stop(const attempt_result& result) {
  auto value = find_header(result.headers, "webhook-delivery");
  return value && same_header_name(*value, "disable");
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
  switch (reason) {
  case end_reason::none:
    return "";
  case end_reason::exhausted:
    return "exhausted";
  case end_reason::expired:
    return "expired";
  case end_reason::rejected:
    return "rejected";
  case end_reason::redirected:
    return "redirected";
  case end_reason::gone:
    return "gone";
  case end_reason::blocked_address:
    return "blocked_address";
  case end_reason::endpoint_deleted:
    return "endpoint_deleted";
  case end_reason::unusable:
    return "unusable";
  }
  return "";
}

classification classify(const attempt_result& result) {
  if (!result.status)
    return classify_fault(result.error);
  auto verdict = classify_status(*result.status);
  if (asks_to_stop(result)) {
    verdict.health = health_effect::gone;
    if (verdict.what != succeed) {
      verdict.what = fail;
      verdict.reason = end_reason::gone;
    }
  }
  return verdict;
}

settlement_plan plan_settlement(const attempt_result& result,
                                const retry_policy& policy, int made,
                                milliseconds remaining,
                                std::chrono::sys_seconds now, double random,
                                milliseconds retry_after_cap) {
  auto verdict = classify(result);
  switch (verdict.what) {
  case succeed:
    return {delivery_state::succeeded, end_reason::none, {}};
  case fail:
    return {delivery_state::failed, verdict.reason, {}};
  case defer:
    return {delivery_state::queued, end_reason::none, {}};
  case retry:
    break;
  }
  auto wait = next_wait(policy, made, random);
  if (!wait)
    return {delivery_state::failed, end_reason::exhausted, {}};
  *wait = std::max(*wait, asked_pause(result, now, retry_after_cap));
  if (*wait > remaining)
    return {delivery_state::failed, end_reason::expired, {}};
  return {delivery_state::retrying, end_reason::none, *wait};
}

} // namespace postrider
