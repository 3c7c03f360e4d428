#pragma once

#include "core/metering.hpp"
#include "core/model.hpp"
#include "core/outcome.hpp"
#include "store/error.hpp"
#include "store/settler.hpp"

#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace postrider::actors {

// What the engine records for those who watch it. Each group is written by one
// kind of actor and begins a cache line of its own; all may be read from any
// thread.

inline constexpr std::size_t attempt_errors =
    static_cast<std::size_t>(attempt_error::internal) + 1;
inline constexpr std::size_t end_reasons =
    static_cast<std::size_t>(end_reason::crashed) + 1;

/// Of outcomes that were written: what the database holds too.
struct alignas(64) settle_meters {
  /// Up to this step retries are told apart; the last one holds the rest.
  static constexpr std::size_t steps = 10;

  count succeeded; ///< attempts
  /// Attempts without a status line, by their error.
  std::array<count, attempt_errors> errors;
  /// Attempts with another status than a 2xx, by its hundreds; the first is
  /// for what is no status.
  std::array<count, 6> statuses;
  request_times succeeded_duration;
  request_times failed_duration;

  /// Deliveries that ended: succeeded, failed, cancelled.
  std::array<count, 3> finished;
  /// Those that failed, by reason.
  std::array<count, end_reasons> failed;
  /// From acceptance to the end, as `finished`, by whether the first attempt
  /// was the last.
  std::array<std::array<lifetimes, 2>, 3> lifetime;
  /// By how many attempts were made, and by the error of the last
  /// (`attempt_error::none`: a status).
  std::array<std::array<count, attempt_errors>, steps> retries;

  count fenced;
  /// Requests that went out and whose outcome found another owner.
  count duplicates_fenced;

  /// Takes one outcome in. `now` is the database's clock.
  void record(const store::settlement& what, bool hit,
              std::chrono::system_clock::time_point now) noexcept;
};

/// Of the reader.
struct alignas(64) read_meters {
  numbers batch;
  quick_times lag; ///< from the time that a delivery was due to its reading

  /// Takes one reading of rows in. A first attempt is due from acceptance on.
  /// `now` is the database's clock.
  void claimed(const std::vector<delivery>& rows,
               std::chrono::system_clock::time_point now) noexcept;
};

/// Of the node supervisor.
struct alignas(64) lease_meters {
  count acquired;
  count renewed;
  count lost;
  count released;
  /// Partitions of this node that are driven carefully.
  std::atomic<std::int64_t> careful{0};
};

/// Of the ingest stores.
struct alignas(64) ingest_meters {
  numbers batch;
  quick_times commit;
  sizes payload;
};

/// Of the partitions: several share one.
struct alignas(64) partition_meters {
  count signed_v1;
  quick_times signing;
  count deferred_stopping;
  count deferred_resources;
  /// Attempts that never answered and count as failed.
  count duplicates_silent;
};

/// Of the breakers, and of what is held.
struct alignas(64) health_meters {
  /// Transitions into each state.
  std::array<count, 4> entered;
  count trials;
  count pauses; ///< asked for by Retry-After
  count refused_rate;
  count refused_tenant;
  count held;    ///< deliveries, one by one as they were read
  count flipped; ///< deliveries, by a statement for many
  count trimmed; ///< that were held too long or were too many
  count rescued; ///< endpoints of which something was held without a reason
  count ours;    ///< failures that were judged to be this node's
  std::atomic<std::int64_t> breakers{0};
};

/// What a store actor asks of the database.
enum class store_query : std::uint8_t {
  claim,   ///< rows to deliver
  peek,    ///< whether there is something
  content, ///< events and endpoints
  insert,
  finish,
  lease,
  health, ///< of endpoints, and what is held for them
  read,   ///< for the API
  upkeep, ///< of the schema, and samples
};
inline constexpr std::array<std::string_view, 9> store_query_names{
    "claim", "peek",   "content", "insert", "finish",
    "lease", "health", "read",    "upkeep"};

/// Of all store actors.
struct alignas(64) store_meters {
  std::array<quick_times, store_query_names.size()> duration;
  std::array<count, store::error_class_names.size()> errors;
  quick_times wait; ///< of calls for their turn on a connection
  /// Connections of which the last use failed.
  std::atomic<std::int64_t> broken{0};
  count rings; ///< wake-ups from other nodes and from producers
};

/// Rows of the hot table, as one node samples them for all.
struct alignas(64) backlog_gauges {
  /// This node is the one that samples.
  std::atomic<bool> wanted{false};
  /// The values below are fresh.
  std::atomic<bool> known{false};
  std::atomic<std::int64_t> queued{0};
  std::atomic<std::int64_t> retrying{0};
  std::atomic<std::int64_t> held{0};
  std::atomic<std::int64_t> degraded{0};
  std::atomic<std::int64_t> suspended{0};
  std::atomic<std::int64_t> disabled{0};
  std::atomic<std::int64_t> retained_wal{0}; ///< bytes
  std::atomic<std::int64_t> paused{0};
  std::atomic<std::int64_t> oldest_queued_ms{0};
  std::atomic<std::int64_t> oldest_retrying_ms{0};
  std::atomic<std::int64_t> event_days{0};
  std::atomic<std::int64_t> attempt_days{0};
};

/// Of the janitor.
struct alignas(64) upkeep_meters {
  count dropped_event_days;
  count dropped_attempt_days;
  count dropped_keys;
  count failed;
  /// Days that are past their time and still there.
  std::atomic<std::int64_t> overdue_event_days{0};
  std::atomic<std::int64_t> overdue_attempt_days{0};
  /// Since when the oldest day began; 0: not known.
  std::atomic<std::int64_t> oldest_event_seconds{0};
  std::atomic<std::int64_t> oldest_attempt_seconds{0};
};

/// All of them.
struct engine_meters {
  settle_meters settle;
  read_meters read;
  lease_meters lease;
  ingest_meters ingest;
  health_meters health;
  /// Partitions that run on one loop share theirs, others don't.
  std::array<partition_meters, 8> partitions;
  store_meters store;
  backlog_gauges backlog;
  upkeep_meters upkeep;

  partition_meters& partition_of(std::uint16_t id) noexcept {
    return partitions[id % partitions.size()];
  }
};

} // namespace postrider::actors
