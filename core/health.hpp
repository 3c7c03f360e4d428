#pragma once

#include "core/outcome.hpp"

#include <chrono>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace postrider {

/// The four states of an endpoint (DESIGN 6, S1.111).
enum class health_state : std::uint8_t {
  healthy,   ///< deliveries are queued and sent
  degraded,  ///< held; one trial for each step of the cooldown
  suspended, ///< the same, but a good trial leads to degraded only
  disabled,  ///< nothing is kept and nothing sent until an operator says so
};
std::string_view to_string(health_state state);
std::optional<health_state> parse_health_state(std::string_view text);

/// Why an endpoint is in its state. Closed list, same names in SQL and API.
enum class health_cause : std::uint8_t {
  none,
  threshold,          ///< transient failures in a row
  failure_ratio,      ///< too many among the last ones
  auth_streak,        ///< 401 or 403 again and again
  gone,               ///< 410
  asked,              ///< `webhook-delivery: disable`
  schedule_exhausted, ///< no trial of the whole schedule succeeded
  max_suspended,      ///< suspended for too long
  trial,              ///< a trial succeeded
  idle,               ///< nothing was held when a trial was due
  operator_,          ///< an operator said so
};
std::string_view to_string(health_cause cause);
std::optional<health_cause> parse_health_cause(std::string_view text);

/// By what an endpoint is judged: a policy is data.
struct health_policy {
  using span = std::chrono::milliseconds;

  /// First attempts in a row that fail for a transient cause.
  int degraded_after = 5;
  /// 401 and 403 without a success between them.
  int auth_after = 3;
  /// Also degraded when this part of the judged attempts of the last
  /// `ratio_window` failed, of at least `ratio_min`. Above 1: never.
  double failure_ratio = 0.5;
  int ratio_min = 20;
  span ratio_window{120'000};
  /// The wait before each trial; the last repeats while suspended.
  std::vector<span> cooldowns;
  /// A suspended endpoint is disabled after this long.
  span max_suspended = std::chrono::hours{7 * 24};
  /// While suspended new deliveries are cancelled on record, not held.
  bool shed = false;
  /// So many are held for it; then the oldest are cancelled.
  int held_max = 1'000'000;
  /// What goes out in the first second after the return to healthy; each
  /// further one twice as much.
  int ramp_start = 10;

  friend bool operator==(const health_policy&, const health_policy&) = default;
};

/// The named policies: `default` and `shop` (S1, part 2.1.4 of the acceptance
/// items); nothing for another name.
const health_policy* find_health_policy(std::string_view name);
std::vector<std::string_view> health_policy_names();

/// What is known of an endpoint's health. All but the streaks is durable; they
/// start again from zero with a new holder of its partition.
struct health {
  using time_point = std::chrono::steady_clock::time_point;

  health_state state = health_state::healthy;
  health_cause cause = health_cause::none;
  /// How many trials have failed: the place in the schedule.
  int rung = 0;
  /// From when on the next trial may go out (degraded, suspended).
  time_point trial_at{};
  /// Since when, over the whole incident: it survives a way through degraded.
  std::optional<time_point> suspended_since;

  int transient_streak = 0;
  int auth_streak = 0;
};

/// One attempt as the rules see it.
struct health_sign {
  health_effect effect = health_effect::none;
  /// The first attempt of its delivery: a delivery is counted once.
  bool first = true;
  /// The attempt was this endpoint's trial.
  bool trial = false;
  /// The receiver asked for the end by `webhook-delivery: disable`.
  bool asked = false;
};

/// The attempts of the last while, in slices of a tenth of the window.
class failure_window {
public:
  /// Whether the ratio of the policy is reached with this one.
  bool add(bool failed, const health_policy& by, health::time_point now);
  /// So many successes that were not told one by one.
  void add_successes(int many, const health_policy& by, health::time_point now);
  void clear() { *this = {}; }

private:
  struct slice {
    std::int64_t number = -1;
    int all = 0;
    int failed = 0;
  };
  slice& at(const health_policy& by, health::time_point now);

  slice slices_[10];
};

/// What follows for the health of an endpoint from an attempt. The rules:
///
/// - healthy: transient failures of first attempts in a row or by ratio lead
///   to degraded; 401 and 403 in a row, 410 and `disable` to suspended.
/// - degraded and suspended: only the trial counts, and what says `gone`. A
///   trial that succeeds leads one state up; one that fails climbs the
///   schedule; one that says nothing of the endpoint (400) is not used up.
/// - disabled: nothing counts. No automation leads out of it.
///
/// `ratio_reached` is what `failure_window::add` said.
health after_attempt(health was, const health_policy& by,
                     const health_sign& sign, bool ratio_reached,
                     health::time_point now);

/// A trial was due and nothing is held or in flight: a degraded endpoint is
/// taken for healthy, one failure away from degraded; others stay.
health after_idle(health was, const health_policy& by);

/// Time passes: a suspended endpoint is given up after `max_suspended`.
health after_time(health was, const health_policy& by, health::time_point now);

/// Whether a trial may go out now.
bool trial_due(const health& of, health::time_point now);

/// Whether new deliveries to it are held.
inline bool holds(health_state state) {
  return state == health_state::degraded || state == health_state::suspended;
}

} // namespace postrider
