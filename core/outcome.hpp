#pragma once

#include "core/attempt.hpp"
#include "core/retry.hpp"
#include "core/retry_statuses.hpp"

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
  aborted,           ///< its receiver wants no more of it (`abort-message`)
  endpoint_disabled, ///< nothing is kept for its endpoint
  shed,              ///< its endpoint is suspended and keeps nothing
  evicted,           ///< more was held for its endpoint than may be
  unusable,          ///< the row can't be sent (bad URL or header)
  crashed,           ///< its handling has ended a worker too often; the last
};
std::string_view to_string(end_reason reason);
std::optional<end_reason> parse_end_reason(std::string_view text);

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
  /// `gone` because of the header `webhook-delivery: disable`.
  bool asked = false;
};

/// Classifies a result. Any complete 2xx status line is success (S3.9);
/// 408, 425, 429, 5xx, 404 and no response are retried (S3.57); other 4xx and
/// 3xx fail at once (S3.58); `cancelled` and `local_resources` defer: they
/// spend no attempt (G7).
///
/// `retryable`, when given, decides for the statuses 300 to 599 instead: what
/// is in it is retried and counts as `transient`, what is not fails; 429 stays
/// `rate_limited` either way.
///
/// The receiver has the last word, by a response header: `webhook-delivery:
/// disable` makes the endpoint `gone`, and what did not succeed fails as such;
/// `abort-message` fails what did not succeed and says nothing of the endpoint.
classification classify(const attempt_result& result,
                        const status_set* retryable = nullptr);

/// What the row becomes after an attempt.
struct settlement_plan {
  /// `queued` stands for "give back without spending an attempt".
  delivery_state state = delivery_state::queued;
  end_reason reason = end_reason::none;
  /// For `retrying`: from the moment of writing, by the database's clock.
  std::chrono::milliseconds wait{0};
  /// What the attempt says of the endpoint's health.
  health_effect effect = health_effect::none;
  /// Its receiver asked for the end by `webhook-delivery: disable`.
  bool asked = false;
  /// For how long the receiver asks to be left alone, all of its endpoint
  /// (Retry-After on 429 and 503, capped), whatever becomes of this delivery.
  std::chrono::milliseconds pause{0};
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
                                std::chrono::milliseconds retry_after_cap,
                                const status_set* retryable = nullptr);

/// Reads Retry-After: whole seconds, or an HTTP date in any of its three forms
/// against `now`. Never negative; nothing if malformed. (RESP-07, RESP-08.)
std::optional<std::chrono::seconds>
parse_retry_after(std::string_view value, std::chrono::sys_seconds now);

} // namespace postrider
