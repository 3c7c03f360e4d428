#pragma once

#include "app/reload_status.hpp"
#include "config/load.hpp"

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>

namespace postrider::app {

/// What a running node has done since it started.
struct node_counters {
  std::uint64_t accepted = 0;   ///< events stored through this node's API
  std::uint64_t attempts = 0;   ///< requests sent and recorded
  std::uint64_t succeeded = 0;  ///< deliveries that ended by a 2xx
  std::uint64_t retried = 0;    ///< attempts that scheduled another one
  std::uint64_t failed = 0;     ///< deliveries given up
  std::uint64_t fenced = 0;     ///< outcomes that no longer counted
  std::uint64_t late = 0;       ///< rows found behind the cursor
  std::uint64_t in_window = 0;  ///< read and not yet settled
  std::uint64_t partitions = 0; ///< held now
};

/// One node: the engine, the API and the admin listener.
class node {
public:
  /// Throws `std::runtime_error` that says what to do when a listener can't
  /// be bound or a part of the configuration can't be used. The configuration
  /// names a database (never embedded). `again` reads it anew for a reload, on
  /// a thread of the node's own. The log goes to the descriptor `log_file`.
  node(config::reading started, std::function<config::reading()> again,
       int log_file);
  /// One whose configuration stays as it is.
  node(config::config config, int log_file);
  ~node();
  node(const node&) = delete;
  node& operator=(const node&) = delete;

  /// Starts everything. The database may be away: the node waits for it,
  /// says so, and is not ready until then.
  void start();

  std::uint16_t api_port() const;
  std::uint16_t admin_port() const;
  node_counters counters() const;

  /// Reads the configuration again and puts it in force; when anything is
  /// wrong nothing changes. Returns at once; the log tells the result.
  void reload();
  const reload_status& reloads() const;

  /// True once the node holds its share of the partitions.
  bool ready() const;

  /// Graceful stop: is not ready any more but serves on for the configured
  /// delay, then refuses new events, finishes what is in flight within the
  /// configured time, gives the rest back without spending an attempt,
  /// releases the leases. Returns false when the time ran out. Idempotent.
  bool stop();

  /// Ends the wait of a `stop` that is under way. Async-signal-unsafe; call
  /// from another thread.
  void stop_now();

  /// Logs whether it is ready, and what is missing, when that has changed. For
  /// one thread.
  void tell_changes();

  /// Whether all its parts have moved since this was last true (`vitals`). For
  /// one thread.
  bool moved();
  /// One line for people.
  std::string status() const;

  /// Set when the engine has given up (an actor failed too often): the
  /// process should end with this exit code. 0 while all is well.
  int fatal() const;

private:
  class impl;
  std::unique_ptr<impl> impl_;
};

/// Runs a node until SIGTERM or SIGINT; the second signal ends it at once.
/// SIGHUP reloads its configuration.
/// Returns the exit code: 0 after a clean stop, 1 when the time ran out or the
/// engine gave up.
int run_node(config::reading started, std::function<config::reading()> again);

} // namespace postrider::app
