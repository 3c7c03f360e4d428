#pragma once

#include "actors/protocol.hpp"
#include "actors/stores.hpp"
#include "store/listener.hpp"

#include <caf/fwd.hpp>

#include <memory>

namespace postrider::actors {

/// Waits for the bell of the database and wakes the reader, on a thread of its
/// own. Without it the poll finds everything, a little later.
using listener_actor = caf::typed_actor<
    // Internal: the next wait.
    caf::reacts_to<atom::tick>>;

/// Starts it. `bell` has to be interrupted before it is ended.
listener_actor spawn_listener(caf::actor_system& system,
                              const store_options& options,
                              std::shared_ptr<store::listener> bell,
                              root_supervisor_actor root);

} // namespace postrider::actors
