#include "app/log_writer.hpp"

#include <poll.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <utility>

namespace postrider::app {

namespace {

constexpr std::size_t most_queued = 8'192;
constexpr std::chrono::seconds last_words{1};

} // namespace

log_writer::log_writer(int file) : file_{file} {
  // A closed pipe must be an error of the write, not the end of the process;
  // and signals are for the main thread.
  sigset_t all;
  sigset_t before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  thread_ = std::thread{[this] { run(); }};
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

log_writer::~log_writer() {
  {
    const std::lock_guard lock{mutex_};
    end_ = std::chrono::steady_clock::now() + last_words;
    ending_ = true;
  }
  changed_.notify_one();
  thread_.join();
}

void log_writer::write(std::string line) {
  {
    const std::lock_guard lock{mutex_};
    if (lines_.size() == most_queued) {
      ++dropped_;
      return;
    }
    lines_.push_back(std::move(line));
  }
  changed_.notify_one();
}

void log_writer::run() {
  std::unique_lock lock{mutex_};
  for (;;) {
    changed_.wait(lock, [this] { return ending_ || !lines_.empty(); });
    if (lines_.empty())
      return;
    const auto batch = std::exchange(lines_, {});
    lock.unlock();
    for (const auto& line : batch)
      put(line);
    lock.lock();
  }
}

void log_writer::put(std::string_view line) {
  while (!line.empty()) {
    if (!wait_for_room()) {
      ++dropped_;
      return;
    }
    // A pipe that has room at all takes this much without waiting.
    const auto piece = std::min<std::size_t>(line.size(), PIPE_BUF);
    const auto done = ::write(file_, line.data(), piece);
    if (done < 0 && errno == EINTR)
      continue;
    if (done <= 0) {
      ++dropped_;
      return;
    }
    line.remove_prefix(static_cast<std::size_t>(done));
  }
}

bool log_writer::wait_for_room() {
  for (;;) {
    const bool over = ending_ && std::chrono::steady_clock::now() >= end_;
    pollfd wanted{file_, POLLOUT, 0};
    const int ready = ::poll(&wanted, 1, over ? 0 : 100);
    if (ready > 0)
      return (wanted.revents & POLLOUT) != 0;
    if (over || (ready < 0 && errno != EINTR))
      return false;
  }
}

} // namespace postrider::app
