#pragma once

#include <cstdint>
#include <random>

namespace postrider::testing {

/// The seed of this process: POSTRIDER_SEED, or one by chance. Printed at the
/// first use, so that a failed run can be repeated.
std::uint64_t run_seed();

/// Dice of a run's own, from the seed and a number for each use.
std::mt19937_64 dice_for(std::uint64_t use);

/// Whether the long forms are wanted (POSTRIDER_LONG).
bool long_run();

} // namespace postrider::testing
