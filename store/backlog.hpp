#pragma once

#include "store/database.hpp"

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

namespace postrider::store {

/// How much is open, and how old the oldest of it is.
struct backlog_sample {
  std::int64_t queued = 0;   ///< estimated from the server's statistics
  std::int64_t retrying = 0; ///< exact up to 10 000, estimated above
  std::int64_t held = 0;     ///< as well
  /// Endpoints that are not healthy, and those an operator holds.
  std::int64_t degraded = 0;
  std::int64_t suspended = 0;
  std::int64_t disabled = 0;
  std::int64_t paused = 0;
  /// Since the acceptance of the oldest queued one; nothing when none is.
  std::optional<std::chrono::milliseconds> oldest_queued;
  /// Since the oldest retry became due; nothing when none is due.
  std::optional<std::chrono::milliseconds> oldest_retrying;
  /// Days from today on that have a time partition.
  int event_days = 0;
  int attempt_days = 0;
  /// WAL that the server keeps because a replication slot wants it, in bytes.
  std::int64_t retained_wal = 0;
};

/// Samples the hot table without ever scanning it: counts come from what the
/// server keeps count of anyway, and each partition is looked at from where
/// its oldest row was seen last, a few rows at a time, within a second at most.
/// A row that turned up behind is found within five minutes. On a connection
/// of its own; throws `error`; not thread-safe.
class backlog {
public:
  explicit backlog(database where);
  ~backlog();

  /// Without `oldest` that of the queue is left out. Looking for it goes over
  /// whatever was delivered since it was looked for last and is not vacuumed.
  backlog_sample take(bool oldest = true);

private:
  class impl;
  std::unique_ptr<impl> impl_;
};

} // namespace postrider::store
