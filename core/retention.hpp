#pragma once

#include <chrono>
#include <optional>
#include <vector>

namespace postrider {

/// How long what is done with is kept. 0: for ever.
struct retention_rules {
  std::chrono::milliseconds events = std::chrono::days{30};
  std::chrono::milliseconds attempts = std::chrono::days{90};
  /// How long after its end a delivery that was not delivered can be retried.
  std::chrono::milliseconds dead_letters = std::chrono::days{30};
  std::chrono::milliseconds keys = std::chrono::days{30};
  /// Between two looks.
  std::chrono::milliseconds every = std::chrono::hours{1};
};

/// The longer of two spans, where 0 is for ever.
std::chrono::milliseconds longer(std::chrono::milliseconds one,
                                 std::chrono::milliseconds other);

/// How long attempts are kept: the last one of a dead letter is what it can be
/// retried from.
std::chrono::milliseconds attempts_kept(const retention_rules& rules);

using day = std::chrono::sys_days;

/// The first day of which something is younger than `span`; nothing when all
/// is kept.
std::optional<day>
first_kept(std::chrono::sys_time<std::chrono::milliseconds> now,
           std::chrono::milliseconds span);

/// Those of `all` that end before the first that is kept, oldest first: so of
/// two outcomes of one delivery the later never goes before the earlier.
std::vector<day> past_days(std::vector<day> all, std::optional<day> first);

/// What keeps a day of events beyond its time.
enum class day_need {
  none,
  open,         ///< a delivery that has not ended
  dead_letters, ///< one that ended undelivered and may still be retried
};

} // namespace postrider
