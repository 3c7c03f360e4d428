#pragma once

#include <signal.h>

namespace postrider::app {

/// Keeps SIGHUP from ending the process while it lives and tells when one
/// came. Make it before any thread starts: threads inherit it.
class reload_signal {
public:
  reload_signal();
  ~reload_signal();
  reload_signal(const reload_signal&) = delete;
  reload_signal& operator=(const reload_signal&) = delete;

  /// Whether one came since it was last asked. Does not wait.
  bool came() const;

private:
  sigset_t wanted_{};
  sigset_t before_{};
};

} // namespace postrider::app
