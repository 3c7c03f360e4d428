#pragma once

#include "store/pg_params.hpp"
#include "store/settler.hpp"

#include <chrono>
#include <span>

namespace postrider::store {

/// Adds what the outcome writes take for a batch: an array for each column. The
/// one for plain successes takes the first nine, the one for all the others
/// too (`full`).
void add_settlements(pg::params& to, std::span<const settlement> batch,
                     std::chrono::steady_clock::time_point now, bool full);

} // namespace postrider::store
