#pragma once

#include "actors/log.hpp"
#include "actors/messages.hpp"
#include "core/outcome.hpp"

#include <chrono>

namespace postrider::actors {

/// The lines of `log_attempt`, whatever the level.
void write_attempt(const log_sink& log, const work& what,
                   const settlement_plan& plan, const attempt_result* result,
                   std::chrono::milliseconds duration);

/// One line for each attempt at debug, and one at info for a delivery that
/// failed for good. `result` is null when no request went out. Costs the check
/// of the level when there is nothing to say.
inline void log_attempt(const log_sink& log, const work& what,
                        const settlement_plan& plan,
                        const attempt_result* result,
                        std::chrono::milliseconds duration) {
  if (plan.state == delivery_state::failed || log.enabled(level::debug))
    write_attempt(log, what, plan, result, duration);
}

} // namespace postrider::actors
