#include "actors/partition_state.hpp"

#include <caf/actor_system.hpp>
#include <caf/send.hpp>

#include <utility>

// Rates of endpoints, and the room and rate of their tenants.

namespace postrider::actors {

void partition_state::ask_for_tokens() {
  if (draining)
    return;
  for (const auto endpoint : metered) {
    auto& of = guards.at(endpoint);
    if (of.asked || of.word.what != permit::mode::open)
      continue;
    if (const auto many = waiting.wanted(endpoint); many > 0) {
      of.asked = true;
      self->send(of.breaker, atom::want_v, many);
    }
  }
}

/// All of this partition stand in a tenant's line as one.
tenant_limits::waiter partition_state::seat_of(const std::string& tenant) {
  const caf::actor_addr me{self->address()};
  return {options.lease.partition, [me, tenant] {
            if (const auto driver = caf::actor_cast<caf::strong_actor_ptr>(me))
              caf::anon_send(caf::actor_cast<partition_actor>(driver),
                             atom::free_v, tenant);
          }};
}

/// Taken before the attempt and given back after it; the rate comes last, as a
/// token can't be given back.
bool partition_state::tenant_lets(guard& of, open_attempt& open) {
  const auto& tenant = of.to->tenant;
  const auto got = options.tenants->enter(tenant, *of.seat, now());
  if (got.what == tenant_limits::verdict::granted) {
    open.seated = true;
    return true;
  }
  health().refused_tenant.add();
  ++options.counters->deferred;
  waiting.block(of.to->id, true);
  if (got.what == tenant_limits::verdict::busy) {
    crowded.insert(of.to->id);
  } else {
    paced.insert(of.to->id);
    pump_in(got.at - now());
  }
  return false;
}

void partition_state::tenant_free(const std::string& tenant) {
  std::erase_if(crowded, [&](auto endpoint) {
    const auto* of = find_guard(endpoint);
    if (of && of->to->tenant != tenant)
      return false;
    waiting.block(endpoint, false);
    return true;
  });
  pump();
}

} // namespace postrider::actors
