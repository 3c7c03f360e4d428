#pragma once

#include "actors/counters.hpp"
#include "actors/log.hpp"
#include "actors/protocol.hpp"

#include <caf/fwd.hpp>

#include <chrono>
#include <cstddef>
#include <functional>
#include <vector>

namespace postrider::actors {

struct ingester_options {
  /// Events that are committed together at most; one larger call goes alone.
  std::size_t most = 500;
  /// How long a commit may take before its calls are answered as unknown. The
  /// store ends the statement after the same time, if it can.
  std::chrono::milliseconds patience{15'000};
  log_sink log;
  counters_ptr counters;
  /// Tells the other nodes that something was committed.
  std::function<void()> ring = [] {};
};

/// Takes from them what is for this actor.
void apply_live(const live_options& from, ingester_options& to);

/// Starts the actor that commits ingest calls in groups: as soon as one of its
/// store actors is free it gets everything that waits, so that a lone call
/// waits for nobody and a crowd shares one commit.
ingester_actor spawn_ingester(caf::actor_system& system,
                              ingester_options options,
                              std::vector<ingest_store_actor> stores,
                              root_supervisor_actor root);

} // namespace postrider::actors
