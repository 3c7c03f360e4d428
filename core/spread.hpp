#pragma once

#include <chrono>
#include <cstdint>
#include <random>

namespace postrider {

/// Up to a quarter less than this wait, by chance, so that those who began to
/// ask at the same moment don't go on asking together (LEASE-15).
inline std::chrono::nanoseconds spread(std::chrono::nanoseconds wait,
                                       std::minstd_rand& dice) {
  std::uniform_int_distribution<std::int64_t> less{0, wait.count() / 4};
  return wait - std::chrono::nanoseconds{less(dice)};
}

} // namespace postrider
