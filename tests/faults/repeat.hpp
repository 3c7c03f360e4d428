#pragma once

#include "tests/faults/history.hpp"

#include <string>

namespace postrider::testing {

/// Why a delivery arrived once more (RELIABILITY 2).
struct repeat {
  enum class kind {
    asked, ///< a retry after an answer that is no success
    u1,    ///< crash or kill between the first byte and the stored result
    u2,    ///< the process was paused
    u3,    ///< the stored result was lost with an asynchronous standby
    u4,    ///< no complete status line was read in time
    stale, ///< a kept connection died under the request (DESIGN 7)
    avoidable,
  } what = kind::avoidable;
  std::string why; ///< when avoidable
};

/// Judges the arrival `again` that follows `before` of the same delivery.
repeat judge_repeat(const history& of, const reception& before,
                    const reception& again);

} // namespace postrider::testing
