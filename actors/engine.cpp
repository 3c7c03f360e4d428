#include "actors/engine.hpp"

#include "actors/ending.hpp"
#include "actors/metered.hpp"
#include "actors/progress.hpp"
#include "actors/root_supervisor.hpp"

#include <caf/actor_system.hpp>
#include <caf/scoped_actor.hpp>
#include <caf/send.hpp>

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <mutex>
#include <optional>
#include <random>
#include <stop_token>
#include <thread>
#include <utility>

namespace postrider::actors {

namespace {

struct system_config : metered_config {
  system_config() {
    // Work sharing wakes idle workers at once; stealing polls (CAF.md 4).
    set("scheduler.policy", caf::atom("sharing"));
    set("scheduler.max-threads",
        std::max<std::size_t>(1, std::thread::hardware_concurrency()));
  }
};

surroundings real_world() {
  return {[] {
            return std::chrono::floor<std::chrono::seconds>(
                std::chrono::system_clock::now());
          },
          [] {
            thread_local std::mt19937_64 source{std::random_device{}()};
            return std::uniform_real_distribution<>{0.0, 1.0}(source);
          }};
}

uuid new_node_id() {
  const auto random = random_bytes(10);
  std::array<std::uint8_t, 10> bits{};
  std::copy(random.begin(), random.end(), bits.begin());
  return make_uuid_v7(std::chrono::floor<std::chrono::milliseconds>(
                          std::chrono::system_clock::now()),
                      bits);
}

} // namespace

class engine::impl {
public:
  impl(engine_options options, counters_ptr counters)
      : options_{std::move(options)},
        counters_{std::move(counters)},
        live_{std::make_shared<const live_options>(options_.live)},
        ingest_limit_{live_->ingest_queue},
        query_limit_{live_->query_queue} {
    for (std::size_t i = 0; i < std::max<std::size_t>(1, options_.loops); ++i)
      loops_.push_back(std::make_shared<net::http_client>(options_.live.http));
  }

  ~impl() { stop(); }

  void start() {
    system_.emplace(config_);
    auto started = spawn_root_supervisor(*system_, root_settings());
    const std::lock_guard lock{mutex_};
    root_ = std::move(started);
  }

  void ingest(std::vector<new_event> events,
              std::function<void(verdict, std::vector<ingest_result>)> done) {
    const auto many = events.size();
    const auto to = root();
    if (stopping_ || !to)
      return done(verdict::draining, {});
    // Bounded here, before anything is queued: mailboxes have no bound.
    if (counters_->ingest_queue.fetch_add(many) + many > ingest_limit_) {
      counters_->ingest_queue -= many;
      return done(verdict::overloaded, {});
    }
    auto answer = [counters = counters_, many,
                   done = std::move(done)](ingest_call::verdict how,
                                           std::vector<ingest_result> results) {
      counters->ingest_queue -= many;
      for (const auto& one : results)
        if (one.what == ingest_result::status::accepted)
          ++counters->accepted;
      done(static_cast<verdict>(how), std::move(results));
    };
    caf::anon_send(
        *root_, atom::ingest_v,
        std::make_shared<ingest_call>(std::move(events), std::move(answer)));
  }

  void query(std::function<void(store::catalog&)> job,
             std::function<void(const store::error&)> failed) {
    if (queries_.fetch_add(1) >= query_limit_) {
      --queries_;
      return failed({store::error::kind::transient, "too many questions wait"});
    }
    auto call = std::shared_ptr<query_call>(
        new query_call{std::move(job), std::move(failed)},
        [this](query_call* done) {
          --queries_;
          delete done;
        });
    if (const auto to = root())
      caf::anon_send(*to, atom::query_v, query_call_ptr{std::move(call)});
    else
      call->fail({store::error::kind::transient, "this node is stopping"});
  }

  void apply(const prepared& fresh) {
    {
      const std::lock_guard lock{mutex_};
      live_ = fresh.options;
    }
    ingest_limit_ = fresh.options->ingest_queue;
    query_limit_ = fresh.options->query_queue;
    if (fresh.http)
      for (const auto& loop : loops_)
        loop->apply(fresh.http);
    if (const auto to = root())
      caf::anon_send(*to, atom::apply_v, fresh.options);
  }

  void changed() {
    if (const auto to = root())
      caf::anon_send(*to, atom::changed_v);
  }

  bool stop() {
    if (!system_ || stopping_.exchange(true))
      return clean_;
    const auto within = live()->stop_within;
    {
      // What is still in flight at the end of the time is cut off before its
      // lease is given back, so that no other node sends it at the same time.
      const std::jthread patience{[this, within](std::stop_token done) {
        std::mutex sleeping;
        std::unique_lock lock{sleeping};
        std::condition_variable_any waker;
        waker.wait_for(lock, done, within, [] { return false; });
        if (done.stop_requested())
          return;
        cut_off_ = true;
        stop_now();
      }};
      caf::scoped_actor self{*system_};
      self->request(*root_, within + std::chrono::seconds{30}, atom::stop_v)
          .receive([this](bool clean) { clean_ = clean; },
                   [this](const caf::error&) { clean_ = false; });
    }
    clean_ = clean_ && !cut_off_;
    end_actor(*root_);
    {
      const std::lock_guard lock{mutex_};
      root_.reset();
    }
    for (const auto& loop : loops_)
      loop->stop();
    system_.reset();
    return clean_;
  }

  void stop_now() {
    for (const auto& loop : loops_)
      loop->stop();
  }

  net::http_client_gauges connections() const {
    net::http_client_gauges sum;
    for (const auto& loop : loops_) {
      const auto one = loop->gauges();
      sum.active += one.active;
      sum.idle += one.idle;
    }
    return sum;
  }

  std::vector<const net::http_client_meters*> loops() const {
    std::vector<const net::http_client_meters*> out;
    for (const auto& loop : loops_)
      out.push_back(&loop->meters());
    return out;
  }

  std::vector<actor_reading> actors() const { return config_.board->read(); }

  std::string stalled() const {
    const patience limits{options_.stalled_after, options_.stalled_after,
                          std::chrono::seconds{180}};
    std::vector<named_loop> all;
    for (const auto* one : loops())
      all.push_back({"client", &one->loop});
    auto dead = dead_loop(all, limits);
    return dead.empty() ? stuck_actor(actors(), limits) : dead;
  }

  std::string gave_up() const {
    const std::lock_guard lock{mutex_};
    return gave_up_;
  }

private:
  std::optional<root_supervisor_actor> root() const {
    const std::lock_guard lock{mutex_};
    return root_;
  }

  live_options_ptr live() const {
    const std::lock_guard lock{mutex_};
    return live_;
  }

  root_options root_settings() {
    root_options out;
    store::database database{options_.database_url};
    database.statement_timeout = options_.statement_timeout;
    database.lock_timeout =
        std::min(database.lock_timeout, options_.statement_timeout);
    out.store = {std::move(database), options_.secret_key, new_node_id(),
                 options_.node_name,  options_.lease,      options_.log,
                 counters_,           options_.version,    options_.role,
                 options_.retention};
    out.reader.log = options_.log;
    out.reader.seed = std::random_device{}();
    out.reader.counters = counters_;
    out.settler.log = options_.log;
    out.settler.counters = counters_;
    out.ingester.patience = options_.ingest_timeout;
    out.ingester.log = options_.log;
    out.ingester.counters = counters_;
    out.node.lease_time = options_.lease;
    out.node.heartbeat = options_.heartbeat;
    out.node.takes_leases = options_.takes_leases;
    out.node.stalled = [this] { return stalled(); };
    out.node.partition.around = real_world();
    out.node.partition.log = options_.log;
    out.node.partition.counters = counters_;
    out.ingest_connections = options_.ingest_connections;
    out.query_connections = options_.query_connections;
    out.notify = options_.notify;
    out.loops = loops_;
    apply_live(*live(), out);
    out.give_up = [this](std::string why) {
      options_.log(level::error, "engine", "giving up: " + why);
      const std::lock_guard lock{mutex_};
      gave_up_ = std::move(why);
    };
    return out;
  }

  engine_options options_;
  counters_ptr counters_;
  std::vector<std::shared_ptr<net::http_client>> loops_;
  system_config config_;
  std::optional<caf::actor_system> system_;
  std::optional<root_supervisor_actor> root_;
  std::atomic<std::size_t> queries_{0};
  std::atomic<bool> stopping_{false};
  std::atomic<bool> cut_off_{false};
  bool clean_ = true;
  mutable std::mutex mutex_; ///< of the root, what is live, and why it ended
  live_options_ptr live_;
  std::atomic<std::size_t> ingest_limit_;
  std::atomic<std::size_t> query_limit_;
  std::string gave_up_;
};

engine::engine(engine_options options)
    : counters_{std::make_shared<counters>()},
      impl_{std::make_unique<impl>(std::move(options), counters_)} {}

engine::~engine() = default;

void engine::start() {
  impl_->start();
}

void engine::ingest(
    std::vector<new_event> events,
    std::function<void(verdict, std::vector<ingest_result>)> done) {
  impl_->ingest(std::move(events), std::move(done));
}

void engine::query(std::function<void(store::catalog&)> job,
                   std::function<void(const store::error&)> failed) {
  impl_->query(std::move(job), std::move(failed));
}

engine::prepared engine::prepare(live_options options, bool connect_anew) {
  auto http = connect_anew ? net::make_settings(options.http) : nullptr;
  return {std::make_shared<const live_options>(std::move(options)),
          std::move(http)};
}

void engine::apply(const prepared& fresh) {
  impl_->apply(fresh);
}

void engine::changed() {
  impl_->changed();
}

net::http_client_gauges engine::connections() const {
  return impl_->connections();
}

std::vector<const net::http_client_meters*> engine::loops() const {
  return impl_->loops();
}

std::vector<actor_reading> engine::actors() const {
  return impl_->actors();
}

std::string engine::stalled() const {
  return impl_->stalled();
}

std::string engine::gave_up() const {
  return impl_->gave_up();
}

bool engine::stop() {
  return impl_->stop();
}

void engine::stop_now() {
  impl_->stop_now();
}

} // namespace postrider::actors
