#pragma once

#include "actors/protocol.hpp"
#include "net/http_client.hpp"

#include <caf/fwd.hpp>

#include <memory>

namespace postrider::actors {

/// Starts an actor that hands requests to an I/O loop and the results back to
/// who sent the job, each exactly once. The loop is lent, not owned: it
/// outlives the actor and is stopped by whoever made it.
http_worker_actor spawn_http_worker(caf::actor_system& system,
                                    std::shared_ptr<net::http_client> loop);

} // namespace postrider::actors
