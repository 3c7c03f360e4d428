#pragma once

#include "app/bench/bench_stage.hpp"

#include <cstdint>

namespace postrider::app {

/// Publishes events in SQL, numbered from `first`, evenly over the targets, 500
/// to a transaction. Returns how many there were in a second.
double write_backlog(bench_stage& stage, const load_targets& targets,
                     std::uint64_t first, std::uint64_t events);

} // namespace postrider::app
