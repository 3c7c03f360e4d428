#include "app/node.hpp"
#include "app/stop_signals.hpp"

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <thread>

namespace postrider::app {

int run_node(const config::config& config) {
  using namespace std::chrono_literals;
  stop_signals signals;
  node running{config};
  running.start();
  while (!signals.wait_for(200ms))
    if (const auto code = running.fatal())
      return code;
  // The first signal ends politely, the second at once.
  std::atomic<bool> done{false};
  std::thread impatience{[&] {
    while (!done)
      if (signals.wait_for(50ms))
        running.stop_now();
  }};
  const bool clean = running.stop();
  done = true;
  impatience.join();
  return clean ? 0 : 1;
}

} // namespace postrider::app
