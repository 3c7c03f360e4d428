#pragma once

#include "app/work_folder.hpp"

#include <atomic>
#include <thread>

#include <sys/types.h>

namespace postrider::app {

/// While it lives, a further SIGINT or SIGTERM ends the process at once: the
/// database is told to stop within moments, a temporary folder is removed.
/// Both signals have to be blocked (`stop_signals`).
class hard_stop {
public:
  hard_stop(pid_t database, const work_folder& folder);
  ~hard_stop();
  hard_stop(const hard_stop&) = delete;
  hard_stop& operator=(const hard_stop&) = delete;

private:
  std::atomic<bool> ending_{false};
  std::thread thread_;
};

} // namespace postrider::app
