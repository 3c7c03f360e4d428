#pragma once

#include "actors/counters.hpp"
#include "actors/log.hpp"
#include "actors/protocol.hpp"

#include <caf/fwd.hpp>

namespace postrider::actors {

struct breaker_options {
  store::lease lease;
  /// Of the policy called `default`; the others stand in core.
  health_policy policy = *find_health_policy("default");
  log_sink log;
  counters_ptr counters;
  /// It comes after one that failed, which may have changed what is on record.
  bool successor = false;
};

/// Starts the breaker of one endpoint, as the driver of its partition knows it;
/// a successor lets nothing begin before it knows what is on record. Its first
/// permit comes at once. What it decides holds at once for what is
/// to begin, and is kept in the database; what only the return to healthy
/// allows begins when that is on record. While the database is away it tries
/// again, and all stays as it is.
breaker_actor spawn_breaker(caf::actor_system& system, breaker_options options,
                            endpoint_ptr of, partition_actor driver,
                            health_store_actor store);

} // namespace postrider::actors
