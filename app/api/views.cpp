#include "app/api/views.hpp"

#include "app/api/cursor.hpp"
#include "app/api/header_body.hpp"
#include "app/api/rfc3339.hpp"
#include "core/header_names.hpp"
#include "core/url.hpp"

namespace postrider::api {

namespace {

void write_headers(json_writer& out, const std::vector<header>& headers) {
  out.key("headers").begin_object();
  for (const auto& [name, value] : headers)
    out.key(name).string(is_secret_header(name) ? masked_value : value);
  out.end_object();
}

void write_time(json_writer& out, std::string_view name,
                const std::optional<time_ms>& time) {
  if (time)
    out.key(name).string(to_rfc3339(*time));
}

/// Without the path, which may hold a token of the receiver's (SIG-10).
std::string origin_of(const std::string& text) {
  const auto parsed = parse_url(text);
  const auto* where = std::get_if<url>(&parsed);
  if (!where)
    return "";
  return (where->tls ? "https://" : "http://") + where->authority();
}

/// Null: the node's own.
void write_timeout(json_writer& out, std::string_view name,
                   std::chrono::milliseconds span) {
  out.key(name);
  if (span.count() == 0)
    out.null();
  else
    out.seconds(span.count());
}

/// Null: none of its own.
void write_rate(json_writer& out, const std::optional<double>& rate) {
  out.key("rate");
  rate ? out.decimal(*rate) : out.null();
}

void write_members(json_writer& out, const store::delivery_row& row) {
  out.key("id").string(delivery_public_id(row.id));
  out.key("event").string(event_public_id(row.event));
  out.key("endpoint").string(endpoint_public_id(row.endpoint));
  out.key("tenant").string(row.tenant);
  out.key("state").string(to_string(row.state));
  if (row.reason != end_reason::none)
    out.key("reason").string(to_string(row.reason));
  out.key("attempts").number(row.attempts);
  write_time(out, "due_at", row.due_at);
  write_time(out, "ended_at", row.ended_at);
  if (row.last_status)
    out.key("last_status_code").number(*row.last_status);
  out.text_if("last_error", row.last_error);
}

} // namespace

void write_health_members(json_writer& out, const store::health_view& row) {
  out.key("state").string(to_string(row.state));
  write_time(out, "since", row.since);
  out.text_if("cause", row.cause);
  if (row.since)
    out.text_if("origin", row.origin);
  out.text_if("reason", row.note);
  out.key("trials_failed").number(row.trials_failed);
  write_time(out, "next_trial_at", row.next_trial_at);
  write_time(out, "suspended_since", row.suspended_since);
  write_time(out, "retire_at", row.retire_at);
  write_time(out, "not_before", row.not_before);
  out.key("paused").boolean(row.paused);
  write_time(out, "paused_at", row.paused_at);
  out.text_if("paused_reason", row.pause_note);
  out.key("releasing").boolean(row.releasing);
}

void write_endpoint(json_writer& out, const store::endpoint_row& row,
                    std::string_view secret) {
  out.begin_object();
  out.key("id").string(endpoint_public_id(row.id));
  out.key("tenant").string(row.tenant);
  out.text_if("uid", row.uid);
  out.key("url").string(row.url);
  out.key("types").begin_array();
  for (const auto& type : row.types)
    out.string(type);
  out.end_array();
  out.key("description").string(row.description);
  out.key("ordering").string(row.ordering);
  out.key("ordering_key").string(row.ordering_key);
  out.key("retry").string(row.retry);
  write_headers(out, row.headers);
  out.key("max_in_flight").number(row.max_in_flight);
  write_rate(out, row.rate);
  out.key("retry_statuses");
  row.retry_statuses.empty() ? out.null() : out.string(row.retry_statuses);
  out.key("health_policy").string(row.health_policy);
  write_timeout(out, "timeout_seconds", row.timeout);
  write_timeout(out, "connect_timeout_seconds", row.connect_timeout);
  out.key("health").begin_object();
  write_health_members(out, row.health);
  out.end_object();
  out.key("version").number(row.version);
  write_time(out, "created_at", row.created_at);
  write_time(out, "updated_at", row.updated_at);
  out.text_if("secret", secret);
  out.end_object();
}

void write_event(json_writer& out, const store::event_row& row) {
  out.begin_object();
  out.key("id").string(event_public_id(row.id));
  out.key("tenant").string(row.tenant);
  out.text_if("key", row.key);
  out.key("type").string(row.type);
  out.key("kind").string(row.kind == event_kind::command ? "command" : "event");
  out.key("content_type").string(row.content_type);
  write_headers(out, row.headers);
  out.text_if("ordering_key", row.ordering_key);
  out.text_if("correlation_id", row.correlation_id);
  out.text_if("producer", row.producer);
  out.text_if("schema_version", row.schema_version);
  write_time(out, "occurred_at", row.occurred_at);
  write_time(out, "accepted_at", row.accepted_at);
  out.key("size").number(row.size);
  out.key("deliveries").number(row.deliveries);
  out.end_object();
}

void write_delivery(json_writer& out, const store::delivery_row& row) {
  out.begin_object();
  write_members(out, row);
  out.end_object();
}

void write_dead_letter(json_writer& out, const store::delivery_row& row) {
  out.begin_object();
  write_members(out, row);
  out.key("error").string(row.failure);
  out.end_object();
}

void write_attempt(json_writer& out, const store::attempt_row& row) {
  out.begin_object();
  out.key("id").string(attempt_public_id(row.delivery, row.number));
  out.key("delivery").string(delivery_public_id(row.delivery));
  out.key("event").string(event_public_id(row.event));
  out.key("endpoint").string(endpoint_public_id(row.endpoint));
  out.key("tenant").string(row.tenant);
  out.key("number").number(row.number);
  out.key("sent").boolean(row.sent);
  out.key("outcome").string(row.outcome);
  out.key("status_code");
  row.status ? out.number(*row.status) : out.null();
  out.text_if("error", row.error);
  out.key("final").boolean(row.final);
  if (row.reason != end_reason::none)
    out.key("reason").string(to_string(row.reason));
  write_time(out, "started_at", row.started_at);
  write_time(out, "ended_at", row.ended_at);
  out.key("duration_ms").number(row.duration.count());
  out.text_if("node", row.node);
  out.text_if("origin", origin_of(row.url));
  out.key("response").begin_object();
  out.key("body_excerpt").string(row.response);
  out.end_object().end_object();
}

void write_tenant(json_writer& out, const store::tenant_row& row) {
  out.begin_object();
  out.key("id").string(row.id);
  out.key("name").string(row.name);
  out.key("max_in_flight");
  row.limits.max_in_flight ? out.number(*row.limits.max_in_flight) : out.null();
  write_rate(out, row.limits.rate);
  write_time(out, "created_at", row.created_at);
  out.end_object();
}

void write_node(json_writer& out, const store::node_row& row) {
  out.begin_object();
  out.key("id").string(to_string(row.id));
  out.key("name").string(row.name);
  out.key("state").string(row.state);
  out.key("role").string(row.role);
  out.key("version").string(row.version);
  write_time(out, "started_at", row.started_at);
  write_time(out, "heartbeat_at", row.heartbeat_at);
  out.key("silent_seconds").seconds(row.silent.count());
  out.key("leases").number(row.leases);
  out.key("clock_ahead_seconds").seconds(row.clock_ahead.count());
  out.end_object();
}

void begin_page(json_writer& out) {
  out.begin_object().key("data").begin_array();
}

void end_page(json_writer& out, std::string_view list, std::string_view next) {
  out.end_array();
  out.key("has_more").boolean(!next.empty());
  out.key("next_cursor");
  next.empty() ? out.null() : out.string(make_cursor(list, next));
  out.end_object();
}

} // namespace postrider::api
