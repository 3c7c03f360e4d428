#pragma once

#include "actors/engine.hpp"
#include "app/api/meters.hpp"
#include "app/log.hpp"
#include "app/reload_status.hpp"
#include "net/http_server.hpp"

#include <cstddef>
#include <functional>
#include <string_view>

namespace postrider::app::metrics {

enum class node_state : std::uint8_t { starting, ready, draining };

/// The bounds that are in force.
struct limits {
  std::size_t ingest_queue = 0;
  std::size_t connections = 0; ///< of the HTTP client, all loops
  std::size_t window = 0;
};

/// What a node's metrics are read from; all of it outlives the reading.
struct sources {
  const actors::engine& engine;
  const api::api_meters& calls;
  const net::http_server* api; ///< null for a worker
  const net::http_server& admin;
  const log& lines;
  const reload_status& reloads;
  std::function<node_state()> state;
  std::function<metrics::limits()> limits;
};

} // namespace postrider::app::metrics
