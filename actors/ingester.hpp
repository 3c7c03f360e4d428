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
  /// While something is being committed a call waits so long for the same
  /// connection, unless `most` events wait. One commit for many costs less, and
  /// what is drawn by one transaction at a time has no gaps.
  std::chrono::milliseconds linger{5};
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

/// Starts the actor that commits ingest calls in groups: a lone call waits for
/// nobody and a crowd shares one commit. Of several store actors the others are
/// for what would have to wait behind a long commit.
ingester_actor spawn_ingester(caf::actor_system& system,
                              ingester_options options,
                              std::vector<ingest_store_actor> stores,
                              root_supervisor_actor root);

} // namespace postrider::actors
