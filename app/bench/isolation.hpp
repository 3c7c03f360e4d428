#pragma once

#include "app/bench/scenarios.hpp"

#include <string>

namespace postrider::app {

/// Adds the verdict on a rate, in percent of what it is without the others,
/// and the fact to the last phase.
void judge_share(double percent, const isolation_bounds& bounds,
                 bench_report& report);

/// Adds the verdict on the last latency of the last phase, against that of the
/// phase of this name, and the fact to the last phase.
void judge_delay(const std::string& alone, const isolation_bounds& bounds,
                 bench_report& report);

} // namespace postrider::app
