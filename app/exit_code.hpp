#pragma once

namespace postrider::app {

/// What the process's exit code means to scripts.
enum exit_code : int {
  exit_done = 0,
  exit_failed = 1,        ///< failed while running
  exit_usage = 2,         ///< wrong usage
  exit_config = 3,        ///< configuration invalid
  exit_unreachable = 4,   ///< server or database not reachable
  exit_not_found = 5,     ///< what was named does not exist
  exit_refused = 6,       ///< refused: state, precondition, permission
  exit_not_met = 8,       ///< a check failed: lost, out of order, badly signed
  exit_interrupted = 130, ///< ended by a second Ctrl-C
};

} // namespace postrider::app
