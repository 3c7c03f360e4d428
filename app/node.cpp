#include "app/node.hpp"

#include "actors/engine.hpp"
#include "actors/progress.hpp"
#include "app/api/api.hpp"
#include "app/engine_settings.hpp"
#include "app/log.hpp"
#include "app/metrics/exporter.hpp"
#include "app/readiness.hpp"
#include "app/reloader.hpp"
#include "app/vitals.hpp"
#include "config/size.hpp"
#include "core/address.hpp"
#include "net/http_server.hpp"

#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <mutex>
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

std::size_t cores() {
  return std::max<std::size_t>(1, std::thread::hardware_concurrency());
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
  impl(config::reading started, std::function<config::reading()> again,
       int log_file)
      : config_{named(started.whole)},
        can_reload_{again != nullptr},
        lines_{config_.log.level, config_.node.name, log_file},
        log_{lines_.sink()},
        engine_{engine_options(config_, log_)},
        calls_{api_options(config_), ports()},
        api_{make_api()},
        admin_{server_options(config_.admin, 1), api::make_admin(ports())},
        exporter_{metric_sources()},
        vitals_{loops(), [this] { return engine_.actors(); }},
        reloader_{std::move(started),
                  {std::move(again),
                   [this](const auto& wanted, const auto& changes) {
                     return prepare(wanted, changes);
                   },
                   log_}} {}

  ~impl() { stop(); }

  void start() {
    begun_ = true;
    engine_.start();
    admin_.start();
    if (api_)
      api_->start();
    log_(actors::level::info, "node",
         (api_ ? "api on port " + std::to_string(api_->port())
               : std::string{"no api"})
             + ", admin on port " + std::to_string(admin_.port()) + ", role "
             + config_.node.role);
  }

  void reload() {
    if (can_reload_)
      reloader_.reload([](const api::config_report&) {});
  }
  const reload_status& reloads() const { return reloader_.status(); }

  bool stop() {
    if (leaving_.exchange(true))
      return clean_;
    log_(actors::level::info, "node", "draining");
    if (begun_)
      serve_on(reloader_.running().shutdown.delay);
    stopping_ = true;
    clean_ = engine_.stop();
    if (api_)
      api_->stop();
    admin_.stop();
    log_(clean_ ? actors::level::info : actors::level::warn, "node",
         clean_ ? "stopped" : "stopped with work left in flight");
    return clean_;
  }

  void stop_now() {
    {
      const std::lock_guard lock{mutex_};
      hurried_ = true;
    }
    hurry_.notify_all();
    engine_.stop_now();
  }

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

  std::uint16_t api_port() const { return api_ ? api_->port() : 0; }
  const net::http_server& admin() const { return admin_; }
  int fatal() const { return engine_.gave_up().empty() ? 0 : 1; }

private:
  /// Load balancers are to notice before anything is refused.
  void serve_on(std::chrono::milliseconds delay) {
    if (delay.count() == 0)
      return;
    log_(actors::level::info, "node",
         "not ready any more; stops in " + config::render_duration(delay));
    std::unique_lock lock{mutex_};
    hurry_.wait_for(lock, delay, [this] { return hurried_; });
  }

  api::api_options api_options(const config::config& from) const {
    return {from.api.key,      from.api.max_batch,
            from.api.max_body, make_guard(from.guard),
            meters_,           from.delivery.header_prefix};
  }

  // A batch of small events may be larger than one event; base64 and the
  // envelope around a payload take their part.
  static std::size_t request_limit(const config::config& from) {
    return std::max<std::size_t>(from.api.max_body * 16, 1 << 20);
  }

  /// All new parts, before any of them is in force.
  std::function<void()> prepare(const config::config& wanted,
                                const std::vector<config::change>& changes) {
    // The file of certificates may hold others under the same name.
    const bool connect_anew =
        !wanted.http.ca_file.empty()
        || std::any_of(changes.begin(), changes.end(), [](const auto& one) {
             return one.key.starts_with("http.")
                    || one.key.starts_with("guard.");
           });
    auto part = actors::engine::prepare(live_options(wanted), connect_anew);
    return [this, wanted, part = std::move(part)] {
      engine_.apply(part);
      calls_.apply(api_options(wanted));
      if (api_)
        api_->limit_body(request_limit(wanted));
      lines_.use_level(wanted.log.level);
    };
  }

  static config::config named(config::config from) {
    if (from.node.name.empty())
      from.node.name = host_name();
    return from;
  }

  /// A worker has none.
  std::unique_ptr<net::http_server> make_api() {
    if (config_.node.role == "worker")
      return nullptr;
    return std::make_unique<net::http_server>(
        server_options(config_.api.listen, api_threads()), calls_.handler());
  }

  static std::size_t api_threads() { return std::min<std::size_t>(cores(), 4); }

  net::http_server_options server_options(const config::listen_config& where,
                                          std::size_t threads) const {
    net::http_server_options out;
    out.address = where.address;
    out.port = where.port;
    out.threads = threads;
    out.body_limit = request_limit(config_);
    out.header_timeout = config_.api.header_timeout;
    out.body_timeout = config_.api.body_timeout;
    out.idle_timeout = config_.api.idle_timeout;
    out.max_connections = config_.api.max_connections;
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
    if (can_reload_)
      out.config = api::config_ports{
          [this] { return reloader_.state(); },
          [this](auto done) { reloader_.check(std::move(done)); },
          [this](auto done) { reloader_.reload(std::move(done)); }};
    return out;
  }

  std::vector<api::health_check> checks() const {
    return readiness({engine_.state(), engine_.gave_up(), standing_still(),
                      config_.node.role, leaving_,
                      config_.storage.unsafe_settings == "refuse"});
  }

  std::string standing_still() const {
    auto stuck = engine_.stalled();
    if (!stuck.empty() || !api_)
      return stuck;
    std::vector<actors::named_loop> serving;
    for (const auto* one : api_->meters())
      serving.push_back({"api", one});
    const auto limit = stalled_after(config_.delivery);
    return actors::dead_loop(serving, {limit, limit, limit});
  }

  /// Once it was ready it has started, whatever came after.
  std::vector<api::health_check> started() const {
    if (!started_)
      started_ = ready();
    return {{"started", started_, started_ ? "" : "it was not ready yet"}};
  }

  std::vector<actors::named_loop> loops() const {
    std::vector<actors::named_loop> out;
    for (const auto* one : engine_.loops())
      out.push_back({"client", &one->loop});
    if (api_)
      for (const auto* one : api_->meters())
        out.push_back({"api", one});
    for (const auto* one : admin_.meters())
      out.push_back({"admin", one});
    return out;
  }

  metrics::sources metric_sources() const {
    return {engine_,
            *meters_,
            api_.get(),
            admin_,
            lines_,
            reloader_.status(),
            [this] {
              return leaving_  ? metrics::node_state::draining
                     : ready() ? metrics::node_state::ready
                               : metrics::node_state::starting;
            },
            [this] {
              const auto now = reloader_.running();
              return metrics::limits{now.api.queue_limit,
                                     now.http.max_connections
                                         * engine_.loops().size(),
                                     now.delivery.window};
            }};
  }

  config::config config_; ///< it was started with
  bool can_reload_;
  log lines_;
  actors::log_sink log_;
  std::shared_ptr<api::api_meters> meters_ =
      std::make_shared<api::api_meters>();
  std::atomic<bool> leaving_{false};  ///< not ready any more
  std::atomic<bool> stopping_{false}; ///< refuses events
  bool begun_ = false;
  std::mutex mutex_;
  std::condition_variable hurry_;
  bool hurried_ = false;
  bool clean_ = true;
  actors::engine engine_;
  api::live_api calls_;
  std::unique_ptr<net::http_server> api_; ///< null for a worker
  net::http_server admin_;
  metrics::exporter exporter_;
  mutable std::atomic<bool> started_{false};
  vitals vitals_;
  std::string told_ = "nothing yet"; ///< what was missing when it was told last
  reloader reloader_;                ///< the last: it uses all of them
};

node::node(config::reading started, std::function<config::reading()> again,
           int log_file)
    : impl_{std::make_unique<impl>(std::move(started), std::move(again),
                                   log_file)} {}

node::node(config::config config, int log_file)
    : node{
        config::reading{std::move(config), {}, {}, {}, {}, {}}, {}, log_file} {}

node::~node() = default;

void node::start() {
  impl_->start();
}

std::uint16_t node::api_port() const {
  return impl_->api_port();
}

std::uint16_t node::admin_port() const {
  return impl_->admin().port();
}

node_counters node::counters() const {
  return impl_->counters();
}

void node::reload() {
  impl_->reload();
}

const reload_status& node::reloads() const {
  return impl_->reloads();
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
