#include "store/socket_guard.hpp"

#include <fcntl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <utility>

namespace postrider::store {

socket_guard::socket_guard()
    : thread_{[this](const std::stop_token& stopped) { run(stopped); }} {}

socket_guard::~socket_guard() {
  thread_.request_stop();
  thread_.join();
  watch(-1);
}

void socket_guard::watch(int socket) {
  const int copy = socket < 0 ? -1 : ::fcntl(socket, F_DUPFD_CLOEXEC, 0);
  const std::lock_guard lock{mutex_};
  if (socket_ >= 0)
    ::close(socket_);
  socket_ = copy;
  // One that is made when the time is up already gets none.
  if (struck_)
    strike();
}

void socket_guard::begin(std::chrono::milliseconds within) {
  {
    const std::lock_guard lock{mutex_};
    until_ = std::chrono::steady_clock::now() + within;
    struck_ = false;
  }
  changed_.notify_one();
}

bool socket_guard::end() {
  const std::lock_guard lock{mutex_};
  until_.reset();
  return std::exchange(struck_, false);
}

void socket_guard::run(const std::stop_token& stopped) {
  std::unique_lock lock{mutex_};
  while (!stopped.stop_requested()) {
    if (!until_ || struck_) {
      changed_.wait(lock, stopped, [this] { return until_ && !struck_; });
      continue;
    }
    // It is not woken at each end: what it finds then is looked at anew.
    const auto until = *until_;
    changed_.wait_until(lock, stopped, until,
                        [&] { return until_ && *until_ < until; });
    if (until_ && std::chrono::steady_clock::now() >= *until_) {
      struck_ = true;
      strike();
    }
  }
}

void socket_guard::strike() {
  if (socket_ >= 0)
    ::shutdown(socket_, SHUT_RDWR);
}

} // namespace postrider::store
