#pragma once

#include "actors/counters.hpp"
#include "actors/flight_board.hpp"
#include "actors/log.hpp"
#include "actors/outcome_box.hpp"
#include "actors/protocol.hpp"
#include "core/our_side.hpp"
#include "core/tenant_limits.hpp"
#include "core/wire.hpp"

#include <caf/fwd.hpp>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>

namespace postrider::actors {

/// What the outside world lends to an actor: the wall clock (for what is
/// signed) and chance. Both are called on the actor's thread.
struct surroundings {
  std::function<std::chrono::sys_seconds()> wall_clock;
  std::function<double()> chance; ///< in [0, 1)
};

struct partition_options {
  store::lease lease;
  wire_options wire;
  std::chrono::milliseconds retry_after_max{3'600'000};
  /// For endpoints whose own is 0.
  std::chrono::milliseconds connect_timeout{3'000};
  std::chrono::milliseconds timeout{15'000};
  /// An attempt that says nothing for this long past its own timeout is
  /// settled as failed.
  std::chrono::milliseconds patience{10'000};
  /// The pause before an attempt is tried again that could not begin.
  std::chrono::milliseconds defer{1'000};
  /// By it endpoints without a named policy are judged.
  health_policy health = *find_health_policy("default");
  /// Shared by all partitions of the node.
  std::shared_ptr<our_side> ours = std::make_shared<our_side>();
  std::shared_ptr<tenant_limits> tenants = std::make_shared<tenant_limits>();
  std::shared_ptr<flight_board> flights = std::make_shared<flight_board>();
  std::shared_ptr<outcome_box> outcomes = std::make_shared<outcome_box>();
  surroundings around;
  log_sink log;
  counters_ptr counters;
  /// Past it no request begins any more (`net::http_request`).
  std::shared_ptr<const std::atomic<std::int64_t>> begin_before = {};
};

/// Whom the driver of a partition deals with.
struct partition_peers {
  http_worker_actor worker;
  reader_actor reader;
  node_supervisor_actor supervisor;
  health_store_actor health;
  lease_store_actor leases;
};

/// Takes from them what is for this actor.
void apply_live(const live_options& from, partition_options& to);

/// Starts the driver of one leased partition. It begins an attempt only while
/// the lease is good (`renew`), keeps each stream in order, and puts the
/// outcome of every delivery that ended, is held or is to be retried into the
/// box, once. What a driver before it has in flight under the same lease is its
/// own. It starts a breaker for each endpoint with traffic and does what that
/// one says.
partition_actor spawn_partition(caf::actor_system& system,
                                partition_options options,
                                partition_peers with);

} // namespace postrider::actors
