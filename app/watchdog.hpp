#pragma once

#include "app/notifier.hpp"

#include <chrono>
#include <functional>

namespace postrider::app {

/// Tells the service manager that the node is alive, three times within the
/// time it asks for, each time only if everything has moved since the last.
class watchdog {
public:
  using time_point = std::chrono::steady_clock::time_point;

  /// `moved` is `vitals::moved` of the node.
  watchdog(notifier& to, std::function<bool()> moved);

  /// To be called often, from the main thread.
  void turn(time_point now);

private:
  notifier& to_;
  std::function<bool()> moved_;
  time_point next_{};
};

} // namespace postrider::app
