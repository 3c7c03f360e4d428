#pragma once

#include "actors/partition.hpp"

#include <functional>
#include <string>

namespace postrider::actors {

struct node_options {
  std::chrono::milliseconds lease_time{20'000};
  std::chrono::milliseconds heartbeat{2'000};
  /// Without it the node only tells that it lives.
  bool takes_leases = true;
  /// What stands still in this process, in words; empty while all moves.
  std::function<std::string()> stalled = [] { return std::string{}; };
  /// How long a stop waits for what is in flight.
  std::chrono::milliseconds stop_within{20'000};
  /// For every partition; `lease` is filled in.
  partition_options partition;
};

/// Takes from them what is for this actor.
void apply_live(const live_options& from, node_options& to);

/// Starts the actor that holds the node's leases: renews them all with each
/// heartbeat, takes free and expired ones up to its fair share, gives back
/// what is above it, starts a driver for each and starts it again when it
/// fails. It counts on nothing but the database: the sweep for dead nodes and
/// stale claims is the same heartbeat.
///
/// While something in the process stands still it renews nothing and gives back
/// what it can, so that others take over; while an operator wants the node
/// drained it gives back all, each when what is in flight has ended.
node_supervisor_actor
spawn_node_supervisor(caf::actor_system& system, node_options options,
                      lease_store_actor store, reader_actor reader,
                      health_store_actor health,
                      std::vector<http_worker_actor> workers);

} // namespace postrider::actors
