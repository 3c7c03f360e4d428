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
  exit_partly = 7,        ///< partly done; the summary says what failed
  exit_not_met = 8,       ///< a check failed: lost, out of order, badly signed
  exit_timed_out = 124,   ///< no answer within the time
  exit_interrupted = 130, ///< ended by a second Ctrl-C
};

/// The same as a table for people.
inline constexpr const char* exit_code_help =
    "EXIT CODES\n"
    "  0 done                      5 not found\n"
    "  1 failed while running      6 refused: state, precondition, permission\n"
    "  2 wrong usage               7 partly done, the summary says what "
    "failed\n"
    "  3 configuration invalid     8 a check was not met\n"
    "  4 server or database not reachable\n"
    "  124 timed out   130 interrupted   143 terminated";

} // namespace postrider::app
