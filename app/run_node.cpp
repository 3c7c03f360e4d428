#include "app/node.hpp"
#include "app/notifier.hpp"
#include "app/reload_signal.hpp"
#include "app/stop_signals.hpp"
#include "app/watchdog.hpp"

#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <thread>
#include <utility>

namespace postrider::app {

int run_node(config::reading started, std::function<config::reading()> again) {
  using namespace std::chrono_literals;
  stop_signals signals;
  const reload_signal hangup;
  node running{std::move(started), std::move(again), STDOUT_FILENO};
  running.start();
  notifier manager;
  watchdog dog{manager, [&] { return running.moved(); }};
  manager.ready();
  while (!signals.wait_for(200ms)) {
    if (const auto code = running.fatal())
      return code;
    if (hangup.came()) {
      manager.reloading();
      running.reload();
      manager.ready();
    }
    running.tell_changes();
    manager.status(running.status());
    dog.turn(std::chrono::steady_clock::now());
  }
  manager.stopping();
  // The first signal ends politely, the second at once.
  std::atomic<bool> done{false};
  std::thread impatience{[&] {
    while (!done) {
      if (signals.wait_for(50ms))
        running.stop_now();
      // Its loops come to rest now; how long that may take is bounded.
      if (manager.watched())
        manager.alive();
    }
  }};
  const bool clean = running.stop();
  done = true;
  impatience.join();
  return clean ? 0 : 1;
}

} // namespace postrider::app
