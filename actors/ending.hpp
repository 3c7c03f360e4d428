#pragma once

#include <caf/actor_cast.hpp>
#include <caf/actor_control_block.hpp>
#include <caf/fwd.hpp>

namespace postrider::actors {

/// Ends an actor, ahead of whatever stands in its mailbox.
void end_actor(const caf::strong_actor_ptr& which);

template <class Handle>
void end_actor(const Handle& which) {
  end_actor(caf::actor_cast<caf::strong_actor_ptr>(which));
}

} // namespace postrider::actors
