#pragma once

#include "actors/ingester.hpp"
#include "actors/node_supervisor.hpp"
#include "actors/reader.hpp"
#include "actors/settler.hpp"
#include "actors/stores.hpp"
#include "net/http_client.hpp"

#include <functional>
#include <memory>
#include <vector>

namespace postrider::actors {

struct root_options {
  store_options store;
  reader_options reader;
  settler_options settler;
  ingester_options ingester;
  node_options node;
  std::size_t ingest_connections = 2;
  std::size_t query_connections = 2;
  /// Hears what other nodes and producers commit, and tells them.
  bool notify = true;
  std::vector<std::shared_ptr<net::http_client>> loops;
  /// Between two samples of the hot table.
  std::chrono::milliseconds sample_every{5'000};
  /// The engine gives up: an actor failed too often, or the schema is not what
  /// this binary needs.
  std::function<void(std::string why)> give_up;
};

/// Puts each of them where its actor will look for it.
void apply_live(const live_options& from, root_options& to);

/// Starts the supervisor of the process. It waits for a database with the
/// right schema and starts every other actor. When one of those that serve
/// producers and the API fails, these are started anew; when one of the
/// delivery does, all of the delivery are, and go on with what was in flight;
/// those that write outcomes likewise. Each wait is longer than the one before;
/// past an intensity it gives up loudly.
root_supervisor_actor spawn_root_supervisor(caf::actor_system& system,
                                            root_options options);

} // namespace postrider::actors
