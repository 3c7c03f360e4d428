#include "core/wire.hpp"

#include "core/public_id.hpp"

namespace postrider {

std::string webhook_id(const delivery& of) {
  return delivery_public_id({of.id, of.partition, salt_of(of.event)});
}

std::vector<header> attempt_headers(const endpoint& to,
                                    const event_content& event,
                                    const delivery& of,
                                    std::chrono::sys_seconds now,
                                    const wire_options& options) {
  std::vector<header> out;
  out.reserve(9 + event.headers.size() + to.headers.size());
  auto id = webhook_id(of);
  out.push_back({"content-type", event.content_type});
  if (!to.keys.empty())
    out.push_back(
        {"webhook-signature", sign_all(to.keys, id, now, *event.payload)});
  out.push_back({"webhook-id", std::move(id)});
  out.push_back(
      {"webhook-timestamp", std::to_string(now.time_since_epoch().count())});
  const auto& prefix = options.header_prefix;
  out.push_back({prefix + "Event-Id", event_public_id(event.id)});
  out.push_back({prefix + "Sequence", std::to_string(of.id)});
  out.push_back({prefix + "Attempt", std::to_string(of.attempts)});
  if (!event.traceparent.empty())
    out.push_back({"traceparent", event.traceparent});
  out.push_back({"user-agent", options.user_agent});
  out.insert(out.end(), event.headers.begin(), event.headers.end());
  out.insert(out.end(), to.headers.begin(), to.headers.end());
  return out;
}

} // namespace postrider
