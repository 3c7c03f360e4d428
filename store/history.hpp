#pragma once

#include "core/outcome.hpp"
#include "core/public_id.hpp"
#include "core/uuid.hpp"

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace postrider::store {

using time_ms = std::chrono::sys_time<std::chrono::milliseconds>;

struct attempt_row {
  delivery_ref delivery;
  uuid event;
  uuid endpoint;
  std::string tenant;
  int number = 0;
  bool sent = true;
  time_ms started_at;
  time_ms ended_at; ///< when it was recorded, by the database's clock
  std::chrono::milliseconds duration{0};
  std::string outcome; ///< `succeeded` | `failed` | `cancelled`
  std::optional<int> status;
  std::string error;
  bool final = false;
  end_reason reason = end_reason::none;
  std::string response;
  std::string node;
  /// What the endpoint's URL was then; empty when nothing was sent.
  std::string url;
};

/// Which attempts: all that is set has to hold.
struct attempt_filter {
  std::optional<uuid> endpoint;
  std::optional<std::string> outcome;
  std::optional<time_ms> since; ///< recorded at or after
  std::optional<time_ms> until; ///< recorded before
};

/// Where an attempt stands among all, newest first: a total order.
struct attempt_key {
  std::int64_t at = 0; ///< microseconds since 1970
  std::int64_t delivery = 0;
  std::int64_t number = 0;
};

struct attempt_page {
  std::vector<attempt_row> rows;
  std::optional<attempt_key> next; ///< nothing: no more
};

/// Which events: all that is set has to hold.
struct event_filter {
  std::optional<std::string> tenant;
  std::optional<std::string> type;
  std::optional<time_ms> since; ///< accepted at or after
  std::optional<time_ms> until; ///< accepted before
};

struct node_row {
  uuid id;
  std::string name;
  std::string version;
  time_ms started_at;
  time_ms heartbeat_at;
  std::chrono::milliseconds silent{0}; ///< since the last heartbeat
  int leases = 0;                      ///< partitions that it holds now
  std::string role;
  /// active, draining, drained, stalled, stopping or silent.
  std::string state;
  std::chrono::milliseconds clock_ahead{0}; ///< of the database's clock
};

} // namespace postrider::store
