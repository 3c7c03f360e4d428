#pragma once

#include "actors/protocol.hpp"
#include "tests/simulation/store_link.hpp"

#include <caf/fwd.hpp>

#include <memory>

namespace postrider::testing {

/// How a store actor of a node finds the model.
struct store_site {
  world* in = nullptr;
  model_database* database = nullptr;
  asker who;
  std::shared_ptr<node_link> link;
};

/// Store actors of a node, of the interfaces in actors/protocol.hpp, each with
/// a connection of its own to the model database.
actors::lease_store_actor spawn_model_leases(caf::actor_system& system,
                                             store_site at);
actors::read_store_actor spawn_model_reads(caf::actor_system& system,
                                           store_site at);
actors::settle_store_actor spawn_model_outcomes(caf::actor_system& system,
                                                store_site at);
actors::health_store_actor spawn_model_health(caf::actor_system& system,
                                              store_site at);
actors::ingest_store_actor spawn_model_ingest(caf::actor_system& system,
                                              store_site at);

} // namespace postrider::testing
