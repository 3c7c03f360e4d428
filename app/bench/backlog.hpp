#pragma once

#include "app/bench/bench_stage.hpp"

#include <cstdint>

namespace postrider::app {

/// Publishes events in SQL, evenly over the endpoints of the stage, 500 to a
/// transaction. Returns how many there were in a second.
double write_backlog(bench_stage& stage, std::uint64_t events);

} // namespace postrider::app
