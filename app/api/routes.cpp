#include "app/api/routes.hpp"

#include <optional>

namespace postrider::api {

namespace {

constexpr route table[] = {
    {"POST", "/v1/events", post_event},
    {"POST", "/v1/events/batch", post_batch},
    {"GET", "/v1/events", get_events},
    {"GET", "/v1/events/{id}", get_event},
    {"GET", "/v1/events/{id}/payload", get_payload},
    {"POST", "/v1/endpoints", post_endpoint},
    {"GET", "/v1/endpoints", get_endpoints},
    {"GET", "/v1/endpoints/{id}", get_endpoint},
    {"PATCH", "/v1/endpoints/{id}", patch_endpoint},
    {"DELETE", "/v1/endpoints/{id}", delete_endpoint},
    {"GET", "/v1/endpoints/{id}/health", get_endpoint_health},
    {"POST", "/v1/endpoints/{id}/pause", pause_endpoint},
    {"POST", "/v1/endpoints/{id}/resume", resume_endpoint},
    {"POST", "/v1/endpoints/{id}/disable", disable_endpoint},
    {"POST", "/v1/endpoints/{id}/enable", enable_endpoint},
    {"GET", "/v1/deliveries", get_deliveries},
    {"GET", "/v1/deliveries/{id}", get_delivery},
    {"GET", "/v1/deliveries/{id}/attempts", get_attempts_of},
    {"POST", "/v1/deliveries/{id}/retry", retry_delivery},
    {"GET", "/v1/attempts", get_attempts},
    {"GET", "/v1/attempts/{id}", get_attempt},
    {"GET", "/v1/dead-letters", get_dead_letters},
    {"GET", "/v1/dead-letters/summary", get_dead_letter_summary},
    {"POST", "/v1/dead-letters/retry", retry_dead_letters},
    {"POST", "/v1/dead-letters/purge", purge_dead_letters},
    {"GET", "/v1/nodes", get_nodes},
    {"POST", "/v1/nodes/{id}/drain", drain_node},
    {"POST", "/v1/nodes/{id}/undrain", undrain_node},
    {"GET", "/v1/tenants", get_tenants},
    {"PUT", "/v1/tenants/{id}", put_tenant},
    {"PATCH", "/v1/tenants/{id}", patch_tenant},
    {"GET", "/v1/config", get_config},
    {"POST", "/v1/config/check", check_config},
    {"POST", "/v1/config/reload", reload_config},
    {"DELETE", "/v1/tenants/{id}", delete_tenant},
    {"GET", "/v1/tenants/{id}", get_tenant},
};

constexpr std::string_view placeholder = "{id}";

/// What stands for `{id}` in `path` (empty without one), if it fits at all.
std::optional<std::string_view> match(std::string_view path,
                                      std::string_view pattern) {
  auto hole = pattern.find(placeholder);
  if (hole == pattern.npos)
    return path == pattern ? std::optional{std::string_view{}} : std::nullopt;
  auto before = pattern.substr(0, hole);
  auto after = pattern.substr(hole + placeholder.size());
  if (path.size() <= before.size() + after.size() || !path.starts_with(before)
      || !path.ends_with(after))
    return {};
  auto id =
      path.substr(before.size(), path.size() - before.size() - after.size());
  return id.find('/') == id.npos ? std::optional{id} : std::nullopt;
}

/// HEAD is a GET whose body the server leaves out.
bool serves(const route& entry, std::string_view method) {
  return entry.method == (method == "HEAD" ? "GET" : method);
}

} // namespace

std::span<const route> routes() {
  return table;
}

void dispatch(call_ptr request) {
  std::string allowed;
  const route* chosen = nullptr;
  for (const auto& entry : table) {
    auto id = match(request->path, entry.path);
    if (!id)
      continue;
    if (serves(entry, request->request.method)
        && (!chosen || chosen->path.find(placeholder) != chosen->path.npos)) {
      chosen = &entry;
      request->parameter = *id;
    }
    allowed += allowed.empty() ? "" : ", ";
    allowed += entry.method;
  }
  request->chosen = chosen;
  if (chosen)
    return chosen->handle(std::move(request));
  if (allowed.empty())
    return answer(*request, not_found("this path does not exist"));
  answer(*request, problem{405,
                           "method_not_allowed",
                           "only " + allowed + " can be done here",
                           {},
                           {{"Allow", allowed}}});
}

} // namespace postrider::api
