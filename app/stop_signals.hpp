#pragma once

#include <chrono>

#include <signal.h>

namespace postrider::app {

/// Keeps SIGINT and SIGTERM from ending the process while it lives and hands
/// them out instead. Make it before any thread starts: threads inherit it.
class stop_signals {
public:
  stop_signals();
  ~stop_signals();
  stop_signals(const stop_signals&) = delete;
  stop_signals& operator=(const stop_signals&) = delete;

  /// Waits; true when a signal came.
  bool wait_for(std::chrono::milliseconds limit);

private:
  sigset_t wanted_{};
  sigset_t before_{};
};

} // namespace postrider::app
