#include "app/stop_signals.hpp"

#include <ctime>

namespace postrider::app {

stop_signals::stop_signals() {
  ::sigemptyset(&wanted_);
  ::sigaddset(&wanted_, SIGINT);
  ::sigaddset(&wanted_, SIGTERM);
  ::pthread_sigmask(SIG_BLOCK, &wanted_, &before_);
}

stop_signals::~stop_signals() {
  ::pthread_sigmask(SIG_SETMASK, &before_, nullptr);
}

bool stop_signals::wait_for(std::chrono::milliseconds limit) {
  const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(limit);
  const timespec wait{
      static_cast<std::time_t>(seconds.count()),
      static_cast<long>(std::chrono::nanoseconds{limit - seconds}.count())};
  return ::sigtimedwait(&wanted_, nullptr, &wait) > 0;
}

} // namespace postrider::app
