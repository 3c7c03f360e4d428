// I5, I6: bounded, and back in time.
#include "tests/faults/check.hpp"

#include <fmt/core.h>

#include <algorithm>

namespace postrider::testing {

verdict check_bounds(const history& of) {
  verdict out{"I5", "bounded", 0, 0, {}, {}};
  for (const auto& one : of.samples) {
    ++out.looked_at;
    auto& most = out.numbers[one.name];
    most = std::max(most, one.value);
    if (one.value > one.bound)
      out.offend(
          fmt::format("{}: {} is above {}", one.name, one.value, one.bound));
  }
  return out;
}

verdict check_recovery(const history& of) {
  verdict out{"I6", "recovery within its bound", 0, 0, {}, {}};
  std::vector<std::int64_t> arrivals;
  for (const auto& [id, all] : of.receptions())
    for (const auto& one : all)
      arrivals.push_back(one.arrival.at);
  std::sort(arrivals.begin(), arrivals.end());
  std::vector<std::int64_t> took;
  for (const auto& one : of.marks) {
    if (one.within == 0)
      continue;
    ++out.looked_at;
    const auto next =
        std::upper_bound(arrivals.begin(), arrivals.end(), one.at);
    if (next == arrivals.end()) {
      out.offend(fmt::format("nothing arrived after {} {}", one.did, one.node));
      continue;
    }
    took.push_back(*next - one.at);
    if (took.back() > one.within)
      out.offend(fmt::format("{} ms after {} {}, at most {} ms",
                             took.back() / 1'000, one.did, one.node,
                             one.within / 1'000));
  }
  if (!took.empty()) {
    std::sort(took.begin(), took.end());
    out.numbers["p50 ms"] = took[took.size() / 2] / 1'000;
    out.numbers["max ms"] = took.back() / 1'000;
  }
  return out;
}

} // namespace postrider::testing
