#pragma once

#include "core/attempt.hpp"
#include "core/retry.hpp"

#include <chrono>
#include <cstdint>
#include <optional>
#include <string_view>

namespace postrider {

/// Where a delivery stands. `queued` and `retrying` rows are in the hot table;
/// the others are told by the final attempt.
enum class delivery_state : std::uint8_t {
  queued,
  retrying,
  held,
  succeeded,
  failed,
  cancelled,
};
std::string_view to_string(delivery_state state);
std::optional<delivery_state> parse_delivery_state(std::string_view text);

/// Why a delivery ended otherwise than by success. Closed list, same names in
/// SQL and API.
enum class end_reason : std::uint8_t {
  none,
  exhausted,       ///< no attempt left
  expired,         ///< older than its deadline
  rejected,        ///< a status that no retry can mend
  redirected,      ///< 3xx; never followed
  gone,            ///< 410
  blocked_address, ///< refused by the address guard
  endpoint_deleted,
  unusable, ///< the row itself can't be sent (bad URL or header in it)
};
std::string_view to_string(end_reason reason);

/// What a result means for the endpoint's health (used by the breaker).
enum class health_effect : std::uint8_t {
  none,
  clears,
  transient,
  rate_limited,
  auth,
  gone
};

/// The table of DESIGN 6: from status or transport fault to what follows.
struct classification {
  enum class action : std::uint8_t {
    succeed,
    retry,
    fail,
    defer
  } what = action::retry;
  end_reason reason = end_reason::none; ///< when `fail`
  health_effect health = health_effect::none;
};

/// Classifies a result. Any complete 2xx status line is success (S3.9);
/// 408, 425, 429, 5xx, 404 and no response are retried (S3.57); other 4xx and
/// 3xx fail at once (S3.58); `cancelled` and `local_resources` defer: they
/// spend no attempt (G7). A response header `webhook-delivery: disable` makes
/// the endpoint `gone`, and what did not succeed fails as such.
classification classify(const attempt_result& result);

/// What the row becomes after an attempt.
struct settlement_plan {
  /// `queued` stands for "give back without spending an attempt".
  delivery_state state = delivery_state::queued;
  end_reason reason = end_reason::none;
  /// For `retrying`: from the moment of writing, by the database's clock.
  std::chrono::milliseconds wait{0};
};

/// Decides what follows an attempt.
/// `made` counts this attempt too (1 = the first has ended), `remaining` is
/// the time left to the deadline, `now` the wall clock for a Retry-After date,
/// `random` in [0, 1). Retry-After on 429 and 503 can only push later and is
/// capped at `retry_after_cap`; it buys no extra attempt. A wait that would
/// end past the deadline means `failed`, `expired`.
settlement_plan plan_settlement(const attempt_result& result,
                                const retry_policy& policy, int made,
                                std::chrono::milliseconds remaining,
                                std::chrono::sys_seconds now, double random,
                                std::chrono::milliseconds retry_after_cap);

/// Reads Retry-After: whole seconds, or an HTTP date in any of its three forms
/// against `now`. Never negative; nothing if malformed. (RESP-07, RESP-08.)
std::optional<std::chrono::seconds>
parse_retry_after(std::string_view value, std::chrono::sys_seconds now);

} // namespace postrider
