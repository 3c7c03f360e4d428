#pragma once

#include "actors/counters.hpp"
#include "actors/log.hpp"
#include "actors/protocol.hpp"
#include "core/wire.hpp"

#include <caf/fwd.hpp>

#include <chrono>
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
  surroundings around;
  log_sink log;
  counters_ptr counters;
};

/// Takes from them what is for this actor.
void apply_live(const live_options& from, partition_options& to);

/// Starts the driver of one leased partition. It begins an attempt only while
/// the lease is good (`renew`), keeps each stream in order, and lets the
/// settler hear of every delivery that ended or is to be retried, once.
partition_actor spawn_partition(caf::actor_system& system,
                                partition_options options,
                                http_worker_actor worker, settler_actor settler,
                                node_supervisor_actor supervisor);

} // namespace postrider::actors
