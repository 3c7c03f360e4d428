// I4, I7, I8: to whom, with which bytes, and to which addresses.
#include "tests/faults/check.hpp"

#include <fmt/core.h>

namespace postrider::testing {

verdict check_tenants(const history& of) {
  verdict out{"I4", "nothing of one tenant reaches another", 0, 0, {}, {}};
  for (const auto& [id, all] : of.receptions())
    for (const auto& one : all) {
      const auto to = of.endpoints.find(one.arrival.endpoint);
      const auto* from = of.source(one.arrival.event);
      ++out.looked_at;
      if (to != of.endpoints.end() && from
          && to->second.tenant != from->first.tenant)
        out.offend(fmt::format("{}: an event of {} at {} of {}", id,
                               from->first.tenant, to->first,
                               to->second.tenant));
    }
  return out;
}

verdict check_bytes(const history& of) {
  verdict out{"I7", "bytes kept and signed", 0, 0, {}, {}};
  for (const auto& [id, all] : of.receptions())
    for (const auto& one : all) {
      const auto* from = of.source(one.arrival.event);
      ++out.looked_at;
      if (!one.arrival.signature)
        out.offend(fmt::format("{}: the signature does not fit", id));
      else if (!from)
        out.offend(fmt::format("{}: nobody sent {}", id, one.arrival.event));
      else if (from->first.sha256 != one.arrival.sha256)
        out.offend(fmt::format("{}: other bytes than were sent", id));
    }
  return out;
}

verdict check_addresses(const history& of) {
  verdict out{"I8", "no forbidden address contacted", 0, 0, {}, {}};
  for (const auto& one : of.traps)
    out.offend(one.address + " was reached");
  return out;
}

} // namespace postrider::testing
