#pragma once

#include "core/health.hpp"
#include "core/read_window.hpp"
#include "core/wire.hpp"
#include "net/http_client.hpp"

#include <chrono>
#include <cstddef>
#include <memory>

namespace postrider::actors {

/// What may be changed while the engine runs. Each actor takes its part of it
/// at a message boundary.
struct live_options {
  net::http_client_options http;
  wire_options wire;
  read_limits window;
  std::chrono::milliseconds poll_min{2};
  std::chrono::milliseconds poll_max{50};
  std::size_t settle_max = 500;
  std::chrono::milliseconds settle_delay{3};
  std::chrono::milliseconds retry_after_max{3'600'000};
  /// For endpoints that name none themselves.
  std::chrono::milliseconds connect_timeout{3'000};
  std::chrono::milliseconds timeout{15'000};
  /// The policy called `default`.
  health_policy health = *find_health_policy("default");
  /// For tenants that name none themselves, on this node.
  int tenant_max_in_flight = 1000;
  double tenant_rate = 0; ///< attempts a second; 0: no limit
  std::size_t ingest_batch = 500;
  std::size_t ingest_queue = 20'000; ///< events that wait for their commit
  std::size_t query_queue = 1'000;
  std::chrono::milliseconds stop_within{20'000};
};
using live_options_ptr = std::shared_ptr<const live_options>;

} // namespace postrider::actors
