#pragma once

#include <atomic>
#include <cstdint>

namespace postrider::app {

/// How the configuration fares, for those who watch a node. Written by the
/// reloader, read from any thread.
struct reload_status {
  std::atomic<bool> last_reload_successful{true};
  /// Of the last reload that was, or of the start: seconds since 1970.
  std::atomic<std::int64_t> last_success_seconds{0};
  /// A changed key waits for a restart.
  std::atomic<bool> restart_required{false};
};

} // namespace postrider::app
