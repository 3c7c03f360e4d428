#include "app/delay_line.hpp"

namespace postrider::app {

delay_line::delay_line() : thread_{[this] { work(); }} {}

delay_line::~delay_line() {
  {
    const std::lock_guard guard{mutex_};
    ending_ = true;
  }
  changed_.notify_one();
  thread_.join();
}

void delay_line::run_after(std::chrono::milliseconds wait,
                           std::function<void()> job) {
  {
    const std::lock_guard guard{mutex_};
    waiting_.emplace(clock::now() + wait, std::move(job));
  }
  changed_.notify_one();
}

void delay_line::work() {
  std::unique_lock lock{mutex_};
  for (;;) {
    if (waiting_.empty()) {
      if (ending_)
        return;
      changed_.wait(lock);
      continue;
    }
    const auto due = waiting_.begin()->first;
    if (!ending_ && clock::now() < due) {
      changed_.wait_until(lock, due);
      continue;
    }
    auto job = std::move(waiting_.extract(waiting_.begin()).mapped());
    lock.unlock();
    job();
    lock.lock();
  }
}

} // namespace postrider::app
