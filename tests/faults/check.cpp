#include "tests/faults/check.hpp"

#include <fmt/core.h>

#include <algorithm>

namespace postrider::testing {

namespace {

constexpr std::size_t most_offenders = 10;

} // namespace

void verdict::offend(std::string who) {
  ++broken;
  if (offenders.size() < most_offenders)
    offenders.push_back(std::move(who));
}

std::vector<verdict> check_all(const history& of) {
  return {check_nothing_lost(of), check_repeats(of),   check_order(of),
          check_tenants(of),      check_bounds(of),    check_recovery(of),
          check_bytes(of),        check_addresses(of), check_honest_rows(of),
          check_successes(of)};
}

bool holds(const std::vector<verdict>& all) {
  return std::all_of(all.begin(), all.end(),
                     [](const auto& one) { return one.broken == 0; });
}

std::string report(const std::vector<verdict>& all) {
  std::string out;
  for (const auto& one : all) {
    out += fmt::format("{:4} {:7} {:7} broken of {:7}  {}", one.id,
                       one.broken == 0 ? "holds" : "BROKEN", one.broken,
                       one.looked_at, one.promise);
    for (const auto& [name, value] : one.numbers)
      out += fmt::format(", {} {}", name, value);
    out += '\n';
    for (const auto& who : one.offenders)
      out += fmt::format("       {}\n", who);
    if (one.broken > one.offenders.size())
      out += fmt::format("       and {} more\n",
                         one.broken - one.offenders.size());
  }
  return out;
}

} // namespace postrider::testing
