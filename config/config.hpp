#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace postrider::config {

using std::chrono::milliseconds;

struct node_config {
  std::string name;         ///< empty: the host's name
  std::string role = "all"; ///< all | api | worker
  std::size_t threads = 0;  ///< HTTP loops; 0: one per core, at most 8
};

struct listen_config {
  std::string address;
  std::uint16_t port = 0;
};

struct api_config {
  listen_config listen{"127.0.0.1", 8080};
  std::string key; ///< bearer key; from `key` or `key_file`
  std::size_t max_body = 256 * 1024;
  std::size_t max_batch = 1000;
  std::size_t queue_limit = 20'000;
  milliseconds header_timeout{10'000};
  milliseconds body_timeout{30'000};
  milliseconds idle_timeout{60'000};
  std::size_t max_connections = 10'000;
};

struct storage_config {
  std::string url; ///< from `url` or `url_file`; empty only with `embedded`
  std::string secret_key; ///< 32 raw bytes, from `secret_key_file` (base64)
  std::size_t query_connections = 2;
  std::size_t query_queue = 1'000;
  milliseconds statement_timeout{30'000};
  std::string unsafe_settings = "warn"; ///< or `refuse`
};

struct ingest_config {
  std::size_t connections = 2;
  std::size_t batch_max = 500;
  milliseconds timeout{15'000};
};

struct delivery_config {
  milliseconds lease{20'000};
  milliseconds heartbeat{2'000};
  std::string notify = "on";           ///< or `off`
  milliseconds stalled_after{0};       ///< 0: half of the lease, at least 2 s
  std::size_t window = 4'000;          ///< deliveries read and not yet settled
  std::size_t window_bytes = 64 << 20; ///< their payloads
  std::size_t per_endpoint = 128;      ///< share of one endpoint in the window
  milliseconds poll_min{2};
  milliseconds poll_max{50};
  std::size_t settle_max = 500;
  milliseconds settle_delay{3};
  milliseconds retry_after_max{3'600'000};
  std::string header_prefix = "X-Postrider-";
};

/// The policy called `default`, by which endpoints are judged.
struct health_config {
  std::size_t degraded_after = 5;
  std::size_t auth_after = 3;
  double failure_ratio = 0.5;
  std::size_t failure_ratio_min = 20;
  milliseconds failure_ratio_window{120'000};
  std::vector<milliseconds> cooldowns{
      milliseconds{5'000},     milliseconds{15'000},    milliseconds{60'000},
      milliseconds{300'000},   milliseconds{1'200'000}, milliseconds{3'600'000},
      milliseconds{14'400'000}};
  milliseconds max_suspended{std::chrono::hours{7 * 24}};
  std::string on_suspended = "hold"; ///< hold | shed
  std::size_t held_max = 1'000'000;
  std::size_t ramp_start = 10;
};

/// How long what is done with is kept; 0: for ever.
struct retention_config {
  milliseconds events{std::chrono::hours{30 * 24}};
  milliseconds attempts{std::chrono::hours{90 * 24}};
  milliseconds dead_letters{std::chrono::hours{30 * 24}};
  milliseconds keys{std::chrono::hours{30 * 24}};
  milliseconds every{std::chrono::hours{1}};
};

/// On one node, for tenants that have none of their own.
struct limits_config {
  std::size_t tenant_max_in_flight = 1'000;
  double tenant_rate = 0; ///< attempts a second; 0: as many as there are
};

struct http_config {
  milliseconds connect_timeout{3'000};
  milliseconds timeout{15'000};
  milliseconds idle_timeout{30'000};
  std::size_t max_idle_per_origin = 32;
  milliseconds max_connection_age{300'000};
  std::size_t max_connections = 4'096; ///< in each loop
  std::size_t response_limit = 64 * 1024;
  std::size_t response_excerpt = 4 * 1024;
  std::string ca_file;
  std::string user_agent; ///< empty: `postrider/<version>`
};

struct guard_config {
  std::vector<std::string> allow; ///< CIDR
  std::vector<std::string> deny;
  std::vector<std::uint16_t> ports;
};

struct shutdown_config {
  milliseconds delay{0};        ///< not ready, still serving
  milliseconds timeout{20'000}; ///< for what is in flight
};

struct log_config {
  std::string level = "info"; ///< debug | info | warn | error
};

/// Everything that `serve` needs, checked.
struct config {
  node_config node;
  api_config api;
  listen_config admin{"127.0.0.1", 9090};
  storage_config storage;
  ingest_config ingest;
  delivery_config delivery;
  health_config health;
  retention_config retention;
  limits_config limits;
  http_config http;
  guard_config guard;
  shutdown_config shutdown;
  log_config log;
};

} // namespace postrider::config
