#pragma once

#include "actors/log.hpp"
#include "app/api/config_ports.hpp"
#include "app/reload_status.hpp"
#include "config/load.hpp"

#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace postrider::app {

/// Reads the configuration again, on a thread of its own, and has it put in
/// force: all of it or nothing. Whatever is wrong, what was in force stays.
/// Thread-safe.
class reloader {
public:
  struct parts {
    std::function<config::reading()> read;
    /// Makes everything new that `wanted` needs and returns what puts it in
    /// force. May throw `std::runtime_error`; the returned function does not.
    std::function<std::function<void()>(
        const config::config& wanted,
        const std::vector<config::change>& changes)>
        prepare;
    actors::log_sink log;
  };

  reloader(config::reading started, parts with);
  ~reloader();
  reloader(const reloader&) = delete;
  reloader& operator=(const reloader&) = delete;

  using callback = std::function<void(api::config_report)>;
  /// `done` is called once, on the reloader's thread; at once with a fault when
  /// too many wait already.
  void reload(callback done);
  /// What a reload would do.
  void check(callback done);

  api::config_state state() const;
  /// What is in force.
  config::config running() const;
  const reload_status& status() const { return status_; }

private:
  struct job {
    bool apply = false;
    callback done;
  };

  void enqueue(job what);
  void work();
  api::config_report run(bool apply);
  void applied(config::reading fresh, const config::config& merged,
               const std::vector<config::change>& changes);
  void tell(const api::config_report& report);

  parts with_;
  reload_status status_;
  mutable std::mutex mutex_;
  std::condition_variable more_;
  std::deque<job> jobs_;
  bool ending_ = false;
  config::reading now_;              ///< what is in force, and where it was set
  std::vector<std::string> waiting_; ///< keys that need a restart
  std::chrono::sys_time<std::chrono::milliseconds> applied_at_;
  std::thread worker_; ///< the last: it uses all of them
};

} // namespace postrider::app
