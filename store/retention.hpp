#pragma once

#include "core/retention.hpp"
#include "store/database.hpp"

#include <chrono>
#include <cstdint>
#include <memory>
#include <vector>

namespace postrider::store {

/// Drops what is done with: whole days of events and attempts, idempotency
/// keys in chunks. Each call is one short transaction, so it can be killed
/// anywhere; of several nodes that call at once one gets to work and the others
/// find it busy. Throws `error`; not thread-safe.
class retention {
public:
  explicit retention(database where);
  ~retention();

  /// The days that there are, and the database's clock.
  struct stock {
    std::chrono::sys_time<std::chrono::milliseconds> now;
    std::vector<day> events;
    std::vector<day> attempts;
  };
  stock look();

  enum class answer {
    gone,
    needed, ///< by what has not ended; see `need`
    busy,   ///< another node is at it, or somebody uses the table just now
  };

  /// Drops a day of events unless an open delivery is for one of them, or a
  /// dead letter that ended on `letters_from` or later (nothing: whenever).
  /// Waits for no lock longer than a tenth of a second, and so makes nobody
  /// wait longer for its own.
  answer drop_events(day which, std::optional<day> letters_from);
  /// What kept the last day that was needed.
  day_need need() const;
  answer drop_attempts(day which);

  /// Deletes up to `limit` keys that are older than `age`; how many it were,
  /// nothing when another node is at it.
  std::optional<std::int64_t> drop_keys(std::chrono::milliseconds age,
                                        int limit);

private:
  class impl;
  std::unique_ptr<impl> impl_;
};

} // namespace postrider::store
