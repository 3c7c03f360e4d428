#include "app/engine_settings.hpp"

#include "app/version.hpp"

#include <algorithm>
#include <stdexcept>
#include <thread>
#include <utility>

namespace postrider::app {

namespace {

std::vector<ip_network> networks(const std::vector<std::string>& texts) {
  std::vector<ip_network> out;
  for (const auto& text : texts)
    if (auto network = parse_network(text))
      out.push_back(*network);
    else
      throw std::runtime_error{"guard: \"" + text
                               + "\" is no network; write 10.0.0.0/8"};
  return out;
}

std::size_t default_loops() {
  return std::clamp<std::size_t>(std::thread::hardware_concurrency(), 1, 8);
}

health_policy make_policy(const config::health_config& from) {
  health_policy out;
  out.degraded_after = static_cast<int>(from.degraded_after);
  out.auth_after = static_cast<int>(from.auth_after);
  out.failure_ratio = from.failure_ratio;
  out.ratio_min = static_cast<int>(from.failure_ratio_min);
  out.ratio_window = from.failure_ratio_window;
  out.cooldowns = from.cooldowns;
  out.max_suspended = from.max_suspended;
  out.shed = from.on_suspended == "shed";
  out.held_max = static_cast<int>(from.held_max);
  out.ramp_start = static_cast<int>(from.ramp_start);
  return out;
}

} // namespace

address_guard make_guard(const config::guard_config& from) {
  return {networks(from.allow), networks(from.deny), from.ports};
}

retention_rules retention_of(const config::retention_config& from) {
  return {from.events, from.attempts, from.dead_letters, from.keys, from.every};
}

actors::live_options live_options(const config::config& from) {
  actors::live_options out;
  out.http.guard = make_guard(from.guard);
  out.http.ca_file = from.http.ca_file;
  out.http.idle_timeout = from.http.idle_timeout;
  out.http.max_connection_age = from.http.max_connection_age;
  out.http.max_idle_per_origin = from.http.max_idle_per_origin;
  out.http.max_connections = from.http.max_connections;
  out.http.body_limit = from.http.response_limit;
  out.http.excerpt_limit = from.http.response_excerpt;
  out.wire.header_prefix = from.delivery.header_prefix;
  out.wire.user_agent = from.http.user_agent.empty()
                            ? "postrider/" + std::string{version()}
                            : from.http.user_agent;
  out.window = {from.delivery.window, from.delivery.window_bytes,
                from.delivery.per_endpoint};
  out.poll_min = from.delivery.poll_min;
  out.poll_max = from.delivery.poll_max;
  out.settle_max = from.delivery.settle_max;
  out.settle_delay = from.delivery.settle_delay;
  out.retry_after_max = from.delivery.retry_after_max;
  out.connect_timeout = from.http.connect_timeout;
  out.timeout = from.http.timeout;
  out.health = make_policy(from.health);
  out.tenant_max_in_flight = static_cast<int>(from.limits.tenant_max_in_flight);
  out.tenant_rate = from.limits.tenant_rate;
  out.ingest_batch = from.ingest.batch_max;
  out.ingest_queue = from.api.queue_limit;
  out.query_queue = from.storage.query_queue;
  out.stop_within = from.shutdown.timeout;
  return out;
}

std::chrono::milliseconds stalled_after(const config::delivery_config& from) {
  if (from.stalled_after.count() > 0)
    return from.stalled_after;
  return std::max<std::chrono::milliseconds>(from.lease / 2,
                                             std::chrono::seconds{2});
}

actors::engine_options engine_options(const config::config& from,
                                      actors::log_sink log) {
  actors::engine_options out;
  out.database_url = from.storage.url;
  out.statement_timeout = from.storage.statement_timeout;
  out.ingest_timeout = from.ingest.timeout;
  out.secret_key = from.storage.secret_key;
  out.node_name = from.node.name;
  out.version = version();
  out.loops = from.node.threads ? from.node.threads : default_loops();
  out.lease = from.delivery.lease;
  out.heartbeat = from.delivery.heartbeat;
  out.stalled_after = stalled_after(from.delivery);
  out.retention = retention_of(from.retention);
  out.notify = from.delivery.notify == "on";
  out.role = from.node.role;
  out.takes_leases = from.node.role != "api";
  const bool has_api = from.node.role != "worker";
  out.ingest_connections = has_api ? from.ingest.connections : 0;
  out.query_connections = has_api ? from.storage.query_connections : 0;
  out.live = live_options(from);
  out.log = std::move(log);
  return out;
}

} // namespace postrider::app
