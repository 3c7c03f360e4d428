#include "app/node.hpp"

#include "actors/engine.hpp"
#include "app/api/api.hpp"
#include "app/log.hpp"
#include "app/metrics/exporter.hpp"
#include "app/version.hpp"
#include "app/vitals.hpp"
#include "core/address.hpp"
#include "core/clock_skew.hpp"
#include "net/http_server.hpp"

#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <stdexcept>
#include <thread>
#include <utility>

namespace postrider::app {

namespace {

std::string host_name() {
  char name[256] = {};
  if (gethostname(name, sizeof name - 1) != 0)
    return "node";
  return name;
}

address_guard make_guard(const config::guard_config& from) {
  const auto read = [](const std::vector<std::string>& texts) {
    std::vector<ip_network> out;
    for (const auto& text : texts)
      if (auto network = parse_network(text))
        out.push_back(*network);
      else
        throw std::runtime_error{"guard: \"" + text
                                 + "\" is no network; write 10.0.0.0/8"};
    return out;
  };
  address_guard out;
  out.allow = read(from.allow);
  out.deny = read(from.deny);
  return out;
}

std::size_t cores() {
  return std::max<std::size_t>(1, std::thread::hardware_concurrency());
}

actors::engine_options engine_options(const config::config& from,
                                      actors::log_sink log) {
  actors::engine_options out;
  out.database_url = from.storage.url;
  out.secret_key = from.storage.secret_key;
  out.node_name = from.node.name;
  out.loops =
      from.node.threads ? from.node.threads : std::min<std::size_t>(cores(), 8);
  out.http.guard = make_guard(from.guard);
  out.http.ca_file = from.http.ca_file;
  out.http.idle_timeout = from.http.idle_timeout;
  out.http.max_idle_per_origin = from.http.max_idle_per_origin;
  out.wire.header_prefix = from.delivery.header_prefix;
  out.wire.user_agent = from.http.user_agent.empty()
                            ? "postrider/" + std::string{version()}
                            : from.http.user_agent;
  out.window = {from.delivery.window, from.delivery.window_bytes,
                from.delivery.per_endpoint};
  out.poll_min = from.delivery.poll_min;
  out.poll_max = from.delivery.poll_max;
  out.lease = from.delivery.lease;
  out.heartbeat = from.delivery.heartbeat;
  out.settle_max = from.delivery.settle_max;
  out.settle_delay = from.delivery.settle_delay;
  out.retry_after_max = from.delivery.retry_after_max;
  out.ingest_connections = from.ingest.connections;
  out.ingest_batch = from.ingest.batch_max;
  out.ingest_queue = from.api.queue_limit;
  out.query_connections = from.storage.query_connections;
  out.stop_within = from.shutdown.timeout;
  out.log = std::move(log);
  return out;
}

api::ingest_answer::status to_status(actors::engine::verdict how) {
  using from = actors::engine::verdict;
  using to = api::ingest_answer::status;
  switch (how) {
  case from::stored:
    return to::stored;
  case from::overloaded:
    return to::overloaded;
  case from::draining:
    return to::draining;
  case from::unavailable:
    break;
  }
  return to::unavailable;
}

} // namespace

class node::impl {
public:
  impl(config::config from, int log_file)
      : config_{named(std::move(from))},
        lines_{config_.log.level, config_.node.name, log_file},
        log_{lines_.sink()},
        engine_{engine_options(config_, log_)},
        api_{server_options(config_.api.listen, api_threads()),
             api::make_api({config_.api.key, config_.api.max_batch,
                            config_.api.max_body, make_guard(config_.guard),
                            meters_, config_.delivery.header_prefix},
                           ports())},
        admin_{server_options(config_.admin, 1), api::make_admin(ports())},
        exporter_{metric_sources()},
        vitals_{loops(), [this] { return engine_.actors(); }} {}

  ~impl() { stop(); }

  void start() {
    engine_.start();
    admin_.start();
    api_.start();
    log_(actors::level::info, "node",
         "api on port " + std::to_string(api_.port()) + ", admin on port "
             + std::to_string(admin_.port()));
  }

  bool stop() {
    if (stopping_.exchange(true))
      return clean_;
    log_(actors::level::info, "node", "draining");
    clean_ = engine_.stop();
    api_.stop();
    admin_.stop();
    log_(clean_ ? actors::level::info : actors::level::warn, "node",
         clean_ ? "stopped" : "stopped with work left in flight");
    return clean_;
  }

  void stop_now() { engine_.stop_now(); }

  bool moved() { return vitals_.moved(); }

  void tell_changes() {
    std::string missing;
    for (const auto& one : checks())
      if (!one.ok)
        missing += (missing.empty() ? "" : ", ") + one.name;
    if (missing.empty())
      started_ = true;
    if (missing == told_)
      return;
    told_ = missing;
    log_(actors::level::info, "node",
         missing.empty() ? "ready" : "not ready: " + missing);
  }

  std::string status() const {
    if (stopping_)
      return "stopping";
    const auto& state = engine_.state();
    if (!state.storage_up)
      return "waiting for the database";
    return std::to_string(state.partitions) + " partitions, "
           + std::to_string(state.in_window) + " deliveries at hand";
  }

  bool ready() const {
    const auto checks = this->checks();
    return std::all_of(checks.begin(), checks.end(),
                       [](const auto& one) { return one.ok; });
  }

  node_counters counters() const {
    const auto& from = engine_.state();
    return {from.accepted, from.attempts,  from.succeeded,
            from.retried,  from.failed,    from.fenced,
            from.late,     from.in_window, from.partitions};
  }

  const net::http_server& api() const { return api_; }
  const net::http_server& admin() const { return admin_; }
  int fatal() const { return engine_.gave_up().empty() ? 0 : 1; }

private:
  static config::config named(config::config from) {
    if (from.node.name.empty())
      from.node.name = host_name();
    return from;
  }

  static std::size_t api_threads() { return std::min<std::size_t>(cores(), 4); }

  net::http_server_options server_options(const config::listen_config& where,
                                          std::size_t threads) const {
    net::http_server_options out;
    out.address = where.address;
    out.port = where.port;
    out.threads = threads;
    // A batch of small events may be larger than one event; base64 and the
    // envelope around a payload take their part.
    out.body_limit = std::max<std::size_t>(config_.api.max_body * 16, 1 << 20);
    out.refuse = api::refuse;
    return out;
  }

  api::ports ports() {
    api::ports out;
    out.ingest = [this](std::vector<new_event> events,
                        std::function<void(api::ingest_answer)> done) {
      if (stopping_)
        return done({api::ingest_answer::status::draining, {}});
      engine_.ingest(
          std::move(events),
          [done = std::move(done)](actors::engine::verdict how,
                                   std::vector<ingest_result> results) {
            done({to_status(how), std::move(results)});
          });
    };
    out.query = [this](std::function<void(store::catalog&)> job,
                       std::function<void(const store::error&)> failed) {
      engine_.query(std::move(job), std::move(failed));
    };
    out.changed = [this] { engine_.changed(); };
    out.ready = [this] { return checks(); };
    out.alive = [this] { return vitals_.checks(); };
    out.started = [this] { return started(); };
    out.metrics = [this] { return exporter_.text(); };
    return out;
  }

  static api::health_check check_clock(std::chrono::milliseconds ahead) {
    if (judge_clock(ahead) != clock_skew::too_large)
      return {"clock", true, ""};
    const auto seconds = ahead.count() / 1000;
    return {"clock", false,
            "this node's clock is " + std::to_string(std::abs(seconds))
                + (seconds > 0 ? " s ahead of" : " s behind")
                + " the database's; receivers may refuse its signatures"};
  }

  std::vector<api::health_check> checks() const {
    const auto& state = engine_.state();
    const auto why = engine_.gave_up();
    return {
        {"engine", why.empty(), why},
        {"migrations", state.migrated,
         state.migrated ? "" : "the schema was not seen yet"},
        {"storage", state.storage_up,
         state.storage_up ? "" : "the database does not answer"},
        {"leases", state.leased,
         state.leased ? "" : "waiting for a share of the partitions"},
        check_clock(std::chrono::milliseconds{state.clock_ahead}),
        {"draining", !stopping_, stopping_ ? "this node is stopping" : ""},
    };
  }

  /// Once it was ready it has started, whatever came after.
  std::vector<api::health_check> started() const {
    if (!started_)
      started_ = ready();
    return {{"started", started_, started_ ? "" : "it was not ready yet"}};
  }

  std::vector<vitals::loop> loops() const {
    std::vector<vitals::loop> out;
    for (const auto* one : engine_.loops())
      out.push_back({"client", &one->loop});
    for (const auto* one : api_.meters())
      out.push_back({"api", one});
    for (const auto* one : admin_.meters())
      out.push_back({"admin", one});
    return out;
  }

  metrics::sources metric_sources() const {
    return {engine_,
            *meters_,
            api_,
            admin_,
            lines_,
            [this] {
              return stopping_ ? metrics::node_state::draining
                     : ready() ? metrics::node_state::ready
                               : metrics::node_state::starting;
            },
            config_.api.queue_limit,
            net::http_client_options{}.max_connections * engine_.loops().size(),
            config_.delivery.window};
  }

  config::config config_;
  log lines_;
  actors::log_sink log_;
  std::shared_ptr<api::api_meters> meters_ =
      std::make_shared<api::api_meters>();
  std::atomic<bool> stopping_{false};
  bool clean_ = true;
  actors::engine engine_;
  net::http_server api_;
  net::http_server admin_;
  metrics::exporter exporter_;
  mutable std::atomic<bool> started_{false};
  vitals vitals_;
  std::string told_ = "nothing yet"; ///< what was missing when it was told last
};

node::node(config::config config, int log_file)
    : impl_{std::make_unique<impl>(std::move(config), log_file)} {}

node::~node() = default;

void node::start() {
  impl_->start();
}

std::uint16_t node::api_port() const {
  return impl_->api().port();
}

std::uint16_t node::admin_port() const {
  return impl_->admin().port();
}

node_counters node::counters() const {
  return impl_->counters();
}

bool node::ready() const {
  return impl_->ready();
}

bool node::stop() {
  return impl_->stop();
}

void node::stop_now() {
  impl_->stop_now();
}

void node::tell_changes() {
  impl_->tell_changes();
}

bool node::moved() {
  return impl_->moved();
}

std::string node::status() const {
  return impl_->status();
}

int node::fatal() const {
  return impl_->fatal();
}

} // namespace postrider::app
