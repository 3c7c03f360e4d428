#include "core/wire.hpp"

#include "core/header_names.hpp"
#include "core/public_id.hpp"

#include <algorithm>

namespace postrider {

namespace {

// Of the lines of an attempt without headers of the customer.
constexpr std::size_t usual_size = 512;

} // namespace

std::string webhook_id(const delivery& of) {
  return delivery_public_id({of.id, of.partition, salt_of(of.event)});
}

bool may_sign(const endpoint& to, std::chrono::sys_seconds now) {
  return to.keys.empty()
         || std::any_of(to.keys.begin(), to.keys.end(),
                        [now](const auto& key) { return key.live(now); });
}

header_lines attempt_headers(const endpoint& to, const event_content& event,
                             const delivery& of, std::chrono::sys_seconds now,
                             const wire_options& options) {
  header_lines out;
  out.reserve(usual_size);
  const auto id = webhook_id(of);
  const std::string_view prefix = options.header_prefix;
  out.add("content-type", event.content_type);
  if (!to.keys.empty())
    out.add("webhook-signature", sign_all(to.keys, id, now, *event.payload));
  out.add("webhook-id", id);
  out.add("webhook-", "timestamp", now.time_since_epoch().count());
  out.add(prefix, "Event-Id", event_public_id(event.id));
  out.add(prefix, "Sequence", of.id);
  out.add(prefix, "Attempt", of.attempts);
  if (!event.traceparent.empty())
    out.add("traceparent", event.traceparent);
  out.add("user-agent", options.user_agent);
  // Written under another prefix, or by SQL, which does not know the one that
  // is configured: what is ours is said once.
  for (const auto* theirs : {&event.headers, &to.headers})
    for (const auto& [name, value] : *theirs)
      if (!has_header_prefix(name, prefix))
        out.add(name, value);
  return out;
}

} // namespace postrider
