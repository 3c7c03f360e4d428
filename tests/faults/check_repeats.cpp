// I2: no delivery arrives again where that could be avoided.
#include "tests/faults/check.hpp"
#include "tests/faults/repeat.hpp"

#include <fmt/core.h>

namespace postrider::testing {

namespace {

const char* name_of(repeat::kind what) {
  switch (what) {
  case repeat::kind::asked:
    return "asked for";
  case repeat::kind::u1:
    return "U1";
  case repeat::kind::u2:
    return "U2";
  case repeat::kind::u3:
    return "U3";
  case repeat::kind::u4:
    return "U4";
  case repeat::kind::stale:
    return "stale connection";
  case repeat::kind::avoidable:
    break;
  }
  return "avoidable";
}

} // namespace

verdict check_repeats(const history& of) {
  verdict out{"I2", "no avoidable duplicate", 0, 0, {}, {}};
  for (const auto* name :
       {"U1", "U2", "U3", "U4", "asked for", "avoidable", "stale connection"})
    out.numbers[name] = 0;
  for (const auto& [id, all] : of.receptions()) {
    out.looked_at += all.size();
    for (std::size_t i = 1; i < all.size(); ++i) {
      const auto found = judge_repeat(of, all[i - 1], all[i]);
      ++out.numbers[name_of(found.what)];
      if (found.what == repeat::kind::avoidable)
        out.offend(fmt::format("{} attempt {} by {} after attempt {} by {}: {}",
                               id, all[i].arrival.attempt, all[i].arrival.node,
                               all[i - 1].arrival.attempt,
                               all[i - 1].arrival.node, found.why));
    }
  }
  return out;
}

} // namespace postrider::testing
