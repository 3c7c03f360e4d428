#pragma once

#include "actors/meters.hpp"

#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>

namespace postrider::actors {

/// What a node has done and what it holds, for those who watch it. Written by
/// the actors, read from any thread.
struct counters {
  std::atomic<std::uint64_t> accepted{0};
  std::atomic<std::uint64_t> attempts{0};
  std::atomic<std::uint64_t> succeeded{0};
  std::atomic<std::uint64_t> retried{0};
  std::atomic<std::uint64_t> failed{0};
  std::atomic<std::uint64_t> cancelled{0};
  std::atomic<std::uint64_t> deferred{0};
  std::atomic<std::uint64_t> fenced{0};
  std::atomic<std::uint64_t> late{0};
  std::atomic<std::uint64_t> handed_over{0};
  std::atomic<std::uint64_t> restarts{0};
  // Gauges.
  std::atomic<std::uint64_t> in_window{0};
  std::atomic<std::uint64_t> window_bytes{0};
  std::atomic<std::uint64_t> unsettled{0};
  std::atomic<std::uint64_t> partitions{0};
  std::atomic<std::uint64_t> ingest_queue{0};
  std::atomic<std::uint64_t> ingests{0}; ///< commits under way
  /// The database answered the last question.
  std::atomic<bool> storage_up{false};
  /// The schema was there and is what this binary needs.
  std::atomic<bool> migrated{false};
  /// Settings of the database that give durability away: bits, in the order of
  /// `store::durable_settings`.
  std::atomic<unsigned> unsafe_settings{0};
  /// This node's wall clock less the database's, in milliseconds.
  std::atomic<std::int64_t> clock_ahead{0};
  /// The database's clock less this node's monotonic one, in microseconds; the
  /// wall clock's until it is known.
  std::atomic<std::int64_t> database_clock{
      std::chrono::duration_cast<std::chrono::microseconds>(
          std::chrono::system_clock::now().time_since_epoch()
          - std::chrono::steady_clock::now().time_since_epoch())
          .count()};
  /// Other nodes that deliver, as far as the last heartbeat saw.
  std::atomic<int> others{0};
  /// The node has its share of the partitions.
  std::atomic<bool> leased{false};
  engine_meters meters;

  /// What the database's clock shows, near enough for a metric, wherever this
  /// node's wall clock jumps.
  std::chrono::system_clock::time_point database_now() const {
    using namespace std::chrono;
    return system_clock::time_point{duration_cast<system_clock::duration>(
                                        steady_clock::now().time_since_epoch())
                                    + microseconds{database_clock}};
  }
};
using counters_ptr = std::shared_ptr<counters>;

} // namespace postrider::actors
