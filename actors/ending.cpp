#include "actors/ending.hpp"

#include <caf/exit_reason.hpp>
#include <caf/mailbox_element.hpp>
#include <caf/message_id.hpp>
#include <caf/system_messages.hpp>

namespace postrider::actors {

void end_actor(const caf::strong_actor_ptr& which) {
  if (!which)
    return;
  which->enqueue(
      caf::make_mailbox_element(
          nullptr, caf::make_message_id(caf::message_priority::high), {},
          caf::exit_msg{which->address(), caf::exit_reason::user_shutdown}),
      nullptr);
}

} // namespace postrider::actors
