#include "tests/faults/run_seed.hpp"

#include <fmt/core.h>

#include <cstdlib>

namespace postrider::testing {

std::uint64_t run_seed() {
  static const std::uint64_t seed = [] {
    const char* given = std::getenv("POSTRIDER_SEED");
    const auto out =
        given ? std::strtoull(given, nullptr, 10) : std::random_device{}();
    fmt::print("seed {}: POSTRIDER_SEED={} repeats this run\n", out, out);
    return out;
  }();
  return seed;
}

std::mt19937_64 dice_for(std::uint64_t use) {
  std::seed_seq from{run_seed(), use};
  return std::mt19937_64{from};
}

bool long_run() {
  return std::getenv("POSTRIDER_LONG") != nullptr;
}

} // namespace postrider::testing
