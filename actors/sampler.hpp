#pragma once

#include "actors/protocol.hpp"
#include "actors/stores.hpp"

#include <caf/fwd.hpp>

#include <chrono>

namespace postrider::actors {

/// Samples the hot table for the gauges, on a connection and a thread of its
/// own.
using sampler_actor = caf::typed_actor<
    // Internal: the next round.
    caf::reacts_to<atom::tick>>;

/// Starts it: every `period` it samples while this node is the one that should
/// (`backlog_gauges::wanted`).
sampler_actor spawn_sampler(caf::actor_system& system, store_options options,
                            std::chrono::milliseconds period);

} // namespace postrider::actors
