#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

namespace postrider::app {

/// Tells the service manager how the process is, as sd_notify(3) says. Without
/// NOTIFY_SOCKET it does nothing. Nothing blocks, and what can't be sent is
/// lost, but for the status: the manager's silence is no reason to stop.
class notifier {
public:
  /// Reads NOTIFY_SOCKET, WATCHDOG_USEC and WATCHDOG_PID.
  notifier();
  ~notifier();
  notifier(const notifier&) = delete;
  notifier& operator=(const notifier&) = delete;

  void ready();
  void reloading(); ///< to be followed by `ready`
  void stopping();
  /// One line for people; sent when it differs from the last one.
  void status(const std::string& text);
  void alive(); ///< WATCHDOG=1

  /// Within this time `alive` is awaited; nothing when no one watches.
  std::optional<std::chrono::microseconds> watched() const { return watched_; }

private:
  bool send(std::string_view text);

  int socket_ = -1;
  std::string address_; ///< of the manager, as a sockaddr_un
  std::optional<std::chrono::microseconds> watched_;
  std::string said_;
};

} // namespace postrider::app
