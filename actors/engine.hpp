#pragma once

#include "actors/counters.hpp"
#include "actors/live_options.hpp"
#include "actors/log.hpp"
#include "actors/pulse.hpp"
#include "core/model.hpp"
#include "core/retention.hpp"
#include "net/http_client.hpp"
#include "store/catalog.hpp"
#include "store/error.hpp"

#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace postrider::actors {

struct engine_options {
  std::string database_url;
  /// How long the database may take for a statement, and for new events.
  std::chrono::milliseconds statement_timeout{30'000};
  std::chrono::milliseconds ingest_timeout{15'000};
  std::string secret_key; ///< 32 bytes
  std::string node_name;
  std::string version; ///< of this program, for the node's row
  std::string role = "all";
  std::size_t loops = 1; ///< HTTP loops, one thread each
  std::chrono::milliseconds lease{20'000};
  std::chrono::milliseconds heartbeat{2'000};
  /// When a loop or an actor stands still for so long the node gives its
  /// leases up; not for those who ask the database.
  std::chrono::milliseconds stalled_after{10'000};
  bool takes_leases = true;
  retention_rules retention;
  std::size_t ingest_connections = 2; ///< 0: takes no events
  std::size_t query_connections = 2;  ///< 0: answers no questions
  bool notify = true;                 ///< hears and tells of new events
  live_options live;
  log_sink log;
};

/// The engine behind plain functions: who holds it need not know of actors.
/// Thread-safe, but for `start` and `stop`.
class engine {
public:
  explicit engine(engine_options options);
  ~engine();
  engine(const engine&) = delete;
  engine& operator=(const engine&) = delete;

  /// Returns at once; the engine waits for its database by itself.
  void start();

  enum class verdict { stored, overloaded, unavailable, draining };

  /// Commits the events of one call together with those of others. `done` is
  /// called once, at once or on another thread; with `stored` it gets one
  /// result for each event.
  void ingest(std::vector<new_event> events,
              std::function<void(verdict, std::vector<ingest_result>)> done);

  /// Runs `job` on a thread that may block; `failed` instead when it throws,
  /// or when too many wait already.
  void query(std::function<void(store::catalog&)> job,
             std::function<void(const store::error&)> failed);

  /// New options with all that is made of them.
  struct prepared {
    live_options_ptr options;
    net::http_client_settings http; ///< null: as they are
  };
  /// With `connect_anew` what concerns connections is taken over too, and those
  /// that are open are not used again, which costs the receivers something.
  /// Throws `std::runtime_error` when it can't be used; nothing has changed
  /// then.
  static prepared prepare(live_options options, bool connect_anew);
  /// Puts them in force for all that begins from now on. Nothing that is under
  /// way is disturbed.
  void apply(const prepared& fresh);

  /// An endpoint or a delivery was changed: only a hint.
  void changed();

  const counters& state() const noexcept { return *counters_; }
  net::http_client_gauges connections() const;
  /// One for each HTTP loop; they live as long as the engine.
  std::vector<const net::http_client_meters*> loops() const;
  std::vector<actor_reading> actors() const;

  /// What stands still in it, in words; empty while all moves.
  std::string stalled() const;

  /// Why the engine has given up; empty while it has not.
  std::string gave_up() const;

  /// Finishes what is in flight within the time, gives the rest back, releases
  /// the leases. False when something was left unfinished. Idempotent.
  bool stop();
  /// Makes a `stop` that is under way end soon: what is in flight is cut off.
  void stop_now();

private:
  class impl;
  counters_ptr counters_;
  std::unique_ptr<impl> impl_;
};

} // namespace postrider::actors
