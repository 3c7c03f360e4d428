#include "app/reload_signal.hpp"

#include <ctime>

namespace postrider::app {

reload_signal::reload_signal() {
  ::sigemptyset(&wanted_);
  ::sigaddset(&wanted_, SIGHUP);
  ::pthread_sigmask(SIG_BLOCK, &wanted_, &before_);
}

reload_signal::~reload_signal() {
  ::pthread_sigmask(SIG_SETMASK, &before_, nullptr);
}

bool reload_signal::came() const {
  constexpr timespec at_once{};
  return ::sigtimedwait(&wanted_, nullptr, &at_once) == SIGHUP;
}

} // namespace postrider::app
