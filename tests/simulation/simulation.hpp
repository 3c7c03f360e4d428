#pragma once

#include "tests/simulation/world.hpp"

#include <cstdint>
#include <map>
#include <string>

namespace postrider::testing {

/// What a seed came to.
struct sim_verdict {
  std::uint64_t seed = 0;
  std::uint64_t hash = 0; ///< over all that happened
  std::uint64_t messages = 0;
  std::chrono::seconds lasted{0};     ///< model time
  std::string offence;                ///< empty: all holds
  std::map<std::string, bool> broken; ///< by invariant
  std::map<std::string, std::uint64_t> reached;

  bool holds() const { return offence.empty(); }
};

/// Plays one seed from beginning to end.
sim_verdict simulate(std::uint64_t seed, model_defects wrong = {},
                     bool loud = false);
/// The same with a plan of the caller's own.
sim_verdict simulate(std::uint64_t seed, const plan& what, model_defects wrong,
                     bool loud);

} // namespace postrider::testing
