#pragma once

#include "core/header_lines.hpp"
#include "core/model.hpp"

#include <chrono>
#include <string>

namespace postrider {

/// The names that a deployment may choose for what is put on the wire.
struct wire_options {
  std::string header_prefix = "X-Postrider-";
  std::string user_agent = "postrider";
};

/// The public id of a delivery: its `webhook-id` (S3.74).
std::string webhook_id(const delivery& of);

/// Whether a secret of the endpoint is live at `now`, or it never had any.
/// Unsigned is worse than late: the receiver can't tell it from a forgery.
bool may_sign(const endpoint& to, std::chrono::sys_seconds now);

/// Every header of one attempt but `Host` and `Content-Length`: content type,
/// `webhook-id` (the same on every attempt), `webhook-timestamp` (fresh),
/// `webhook-signature` with every live secret over the stored bytes, event id,
/// sequence and 0-based attempt under the prefix, `traceparent`, `user-agent`,
/// then the event's and the endpoint's own but those under the prefix.
/// (DESIGN 7; S1.31, S1.57-S1.59, S3.74-S3.78.)
header_lines attempt_headers(const endpoint& to, const event_content& event,
                             const delivery& of, std::chrono::sys_seconds now,
                             const wire_options& options);

} // namespace postrider
