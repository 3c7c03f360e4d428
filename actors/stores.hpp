#pragma once

#include "actors/counters.hpp"
#include "actors/log.hpp"
#include "actors/protocol.hpp"

#include "core/retention.hpp"
#include "core/tenant_limits.hpp"
#include "store/database.hpp"

#include <caf/fwd.hpp>

#include <chrono>
#include <memory>
#include <string>

namespace postrider::actors {

/// What the store actors need to know of this node and its database.
struct store_options {
  /// Shared by all: so they agree on which server it is.
  store::database database{""};
  std::string secret_key;
  uuid node;
  std::string node_name;
  std::chrono::milliseconds lease_time{20'000};
  log_sink log;
  counters_ptr counters = std::make_shared<actors::counters>();
  std::string version = {}; ///< of this program, for the node's row
  std::string role = "all"; ///< of this node
  retention_rules retention = {};
};

/// Each starts a store actor: detached, one connection, no policy. A lost
/// connection is an error reply, and the next message tries to connect again.
read_store_actor spawn_read_store(caf::actor_system& system,
                                  store_options options);
settle_store_actor spawn_settle_store(caf::actor_system& system,
                                      store_options options);
lease_store_actor spawn_lease_store(caf::actor_system& system,
                                    store_options options);
ingest_store_actor spawn_ingest_store(caf::actor_system& system,
                                      store_options options);
query_store_actor spawn_query_store(caf::actor_system& system,
                                    store_options options);
/// `tenants` are told the limits that tenants have of their own.
health_store_actor spawn_health_store(caf::actor_system& system,
                                      store_options options,
                                      std::shared_ptr<tenant_limits> tenants);
janitor_actor spawn_janitor(caf::actor_system& system, store_options options);

} // namespace postrider::actors
