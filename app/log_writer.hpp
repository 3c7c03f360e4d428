#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>

namespace postrider::app {

/// Writes lines to a file descriptor on a thread of its own, so that nobody
/// who logs ever waits for a pipe, a terminal or a disk. What does not fit into
/// its queue, and what can't be written, is dropped and counted.
class log_writer {
public:
  explicit log_writer(int file);
  /// Writes what is queued, for a second at most.
  ~log_writer();
  log_writer(const log_writer&) = delete;
  log_writer& operator=(const log_writer&) = delete;

  /// Thread-safe.
  void write(std::string line);
  std::uint64_t dropped() const noexcept { return dropped_; }

private:
  void run();
  void put(std::string_view line);
  bool wait_for_room();

  int file_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::string> lines_;
  std::atomic<std::uint64_t> dropped_{0};
  std::atomic<bool> ending_{false};
  std::chrono::steady_clock::time_point end_{};
  std::thread thread_;
};

} // namespace postrider::app
