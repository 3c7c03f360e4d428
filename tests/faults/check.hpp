#pragma once

#include "tests/faults/history.hpp"

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace postrider::testing {

/// What one invariant came to.
struct verdict {
  std::string id; ///< `I1` to `I10`
  std::string promise;
  std::uint64_t looked_at = 0;
  std::uint64_t broken = 0;
  std::vector<std::string> offenders;          ///< the first ten
  std::map<std::string, std::int64_t> numbers; ///< beside the verdict

  void offend(std::string who);
};

verdict check_nothing_lost(const history& of);
verdict check_repeats(const history& of);
verdict check_order(const history& of);
verdict check_tenants(const history& of);
verdict check_bounds(const history& of);
verdict check_recovery(const history& of);
verdict check_bytes(const history& of);
verdict check_addresses(const history& of);
verdict check_honest_rows(const history& of);
verdict check_successes(const history& of);

/// All of them, I1 to I10.
std::vector<verdict> check_all(const history& of);
bool holds(const std::vector<verdict>& all);
/// A table for people, with the offenders below each broken line.
std::string report(const std::vector<verdict>& all);

} // namespace postrider::testing
