#pragma once

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <optional>
#include <stop_token>
#include <thread>

namespace postrider::store {

/// Ends the waits of a library that would wait for a silent server for ever:
/// when the time is up it shuts the socket down, and the wait returns with an
/// error. Has a thread of its own.
class socket_guard {
public:
  socket_guard();
  ~socket_guard();
  socket_guard(const socket_guard&) = delete;
  socket_guard& operator=(const socket_guard&) = delete;

  /// From now on the guarded socket is this one; negative: none.
  void watch(int socket);
  /// The time runs.
  void begin(std::chrono::milliseconds within);
  /// The time runs no more. Whether it was up.
  bool end();

private:
  void run(const std::stop_token& stopped);
  void strike();

  std::mutex mutex_;
  std::condition_variable_any changed_;
  int socket_ = -1; ///< a duplicate, so that it can't become another's
  std::optional<std::chrono::steady_clock::time_point> until_;
  bool struck_ = false;
  std::jthread thread_;
};

} // namespace postrider::store
