#pragma once

#include <chrono>
#include <condition_variable>
#include <functional>
#include <map>
#include <mutex>
#include <thread>

namespace postrider::app {

/// Runs functions later, on a thread of its own. What is still waiting when it
/// is destroyed is run then.
class delay_line {
public:
  delay_line();
  ~delay_line();
  delay_line(const delay_line&) = delete;
  delay_line& operator=(const delay_line&) = delete;

  /// Callable from any thread; `job` must not throw.
  void run_after(std::chrono::milliseconds wait, std::function<void()> job);

private:
  using clock = std::chrono::steady_clock;

  void work();

  std::mutex mutex_;
  std::condition_variable changed_;
  std::multimap<clock::time_point, std::function<void()>> waiting_;
  bool ending_ = false;
  std::thread thread_;
};

} // namespace postrider::app
