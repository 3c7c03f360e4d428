#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace postrider {

/// When a delivery is tried again: one contract for every target (G8).
struct retry_policy {
  /// The wait before each further attempt. When more attempts are allowed
  /// than waits are given, the last wait repeats.
  std::vector<std::chrono::milliseconds> waits;
  /// The first attempt and its retries together.
  int max_attempts = 1;
  /// Each wait is multiplied by a factor drawn evenly from this range.
  double jitter_low = 1.0;
  double jitter_high = 1.0;
  /// A delivery older than this is given up as expired.
  std::chrono::milliseconds max_age{0};

  friend bool operator==(const retry_policy&, const retry_policy&) = default;
};

/// The named ladders of DESIGN 6: `default`, `shop` (S1.29, S1.55),
/// `railhook-out` (S3.59, S3.61, S3.64), `railhook-in` (S3.60).
const retry_policy* find_retry_policy(std::string_view name);

/// The names that `find_retry_policy` knows, for error texts.
std::vector<std::string_view> retry_policy_names();

/// Why a text is no retry policy.
struct retry_fault {
  std::string field; ///< `waits`, `attempts`, `jitter`, `max_age`; or none
  std::string what;  ///< what is wrong and what would be right
};

/// Reads what an endpoint may hold: a name, or waits such as `5s 30s 5m`
/// (units ms, s, m, h, d; up to 50 waits, each 1 ms to 30 d) and options, each
/// once and anywhere among them:
///
/// - `attempts=7`: 1 to 100 in all, one more than waits without it. The last
///   wait repeats for those above.
/// - `jitter=20%`: each wait times 0.8 to 1.2; `jitter=50-150%`: 0.5 to 1.5.
/// - `max_age=24h`: 1 s to 365 d; without it 96 h, or twice the waits' sum.
///
/// A policy that could not make its last attempt within its `max_age`, at its
/// slowest, is refused.
std::variant<retry_policy, retry_fault>
read_retry_policy(std::string_view text);

/// The same for those who don't ask why.
std::optional<retry_policy> parse_retry_policy(std::string_view text);

/// How long after the first attempt the last one begins, if every wait is the
/// longest that the jitter allows.
std::chrono::milliseconds slowest(const retry_policy& policy);

/// Reads one duration such as `250ms`, `5s`, `2h`, of 1 ms to 30 d. Nothing if
/// malformed or out of range.
std::optional<std::chrono::milliseconds> parse_duration(std::string_view text);

/// The same up to `longest`.
std::optional<std::chrono::milliseconds>
parse_duration(std::string_view text, std::chrono::milliseconds longest);

/// The wait after the `made`-th attempt failed (1 = the first), jittered by
/// `random` in [0, 1). Nothing when no attempt is left.
std::optional<std::chrono::milliseconds> next_wait(const retry_policy& policy,
                                                   int made, double random);

} // namespace postrider
