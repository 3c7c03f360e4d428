#include "app/api/event_body.hpp"

#include "app/api/header_body.hpp"
#include "app/api/names.hpp"
#include "app/api/object_reader.hpp"
#include "app/api/rfc3339.hpp"
#include "core/base64.hpp"

namespace postrider::api {

namespace {

const std::vector<std::string> members{
    "tenant",         "type",         "payload",
    "payload_base64", "content_type", "id",
    "kind",           "ordering_key", "headers",
    "correlation_id", "producer",     "schema_version",
    "occurred_at"};

void read_base64(object_reader& body, const json_value& value, new_event& event,
                 faults& found) {
  auto text =
      plain_text(value, value.text.size(), body.at("payload_base64"), found);
  if (!text)
    return;
  auto bytes = decode_base64(*text);
  if (!bytes)
    return body.fail("payload_base64", "bad_base64",
                     "must be standard base64 (RFC 4648, section 4)");
  event.payload = std::move(*bytes);
  event.content_type = "application/octet-stream";
}

void read_payload(object_reader& body, std::size_t max_payload,
                  new_event& event, faults& found) {
  auto* json = body.find("payload");
  auto* base64 = body.find("payload_base64");
  if ((json == nullptr) == (base64 == nullptr))
    return body.fail("payload", json ? "ambiguous" : "required",
                     "give exactly one of payload and payload_base64");
  if (json)
    event.payload = json->text;
  else
    read_base64(body, *base64, event, found);
  if (event.payload.size() > max_payload)
    found.add_oversized(body.at(json ? "payload" : "payload_base64"),
                        max_payload);
}

void read_content_type(object_reader& body, new_event& event) {
  if (auto type = body.text("content_type")) {
    if (is_media_type(*type))
      event.content_type = std::move(*type);
    else
      body.fail("content_type", "bad_media_type",
                "must be a media type such as application/json");
  }
}

void read_kind(object_reader& body, new_event& event) {
  auto kind = body.text("kind");
  if (!kind || *kind == "event")
    return;
  if (*kind == "command")
    event.kind = event_kind::command;
  else
    body.fail("kind", "unknown_value", "must be event or command");
}

void read_occurred_at(object_reader& body, new_event& event) {
  auto text = body.text("occurred_at");
  if (!text)
    return;
  event.occurred_at = parse_rfc3339(*text);
  if (!event.occurred_at)
    body.fail("occurred_at", "bad_time",
              "must be RFC 3339, such as 2026-11-29T20:11:04.120Z");
}

} // namespace

new_event read_event(const json_value& value, std::size_t max_payload,
                     faults& found) {
  new_event event;
  if (value.kind != json_kind::object) {
    found.add("", "wrong_type",
              "an event must be an object, not "
                  + std::string{describe(value.kind)});
    return event;
  }
  object_reader body{value, members, found};
  event.tenant = body.required_text("tenant");
  if (!event.tenant.empty() && !is_id(event.tenant))
    body.fail("tenant", "bad_id", "must be 1 to 128 of A-Z a-z 0-9 _ -");
  event.type = body.required_text("type");
  if (!event.type.empty() && !is_event_type(event.type))
    body.fail("type", "bad_type",
              "must be groups of A-Z a-z 0-9 _ joined by dots");
  event.key = body.text("id").value_or("");
  if (!event.key.empty() && !is_id(event.key))
    body.fail("id", "bad_id", "must be 1 to 128 of A-Z a-z 0-9 _ -");
  read_payload(body, max_payload, event, found);
  read_content_type(body, event);
  read_kind(body, event);
  read_occurred_at(body, event);
  if (auto* headers = body.find("headers"); headers && !body.is_null("headers"))
    event.headers = read_headers(*headers, body.at("headers"), found);
  event.ordering_key = body.text("ordering_key").value_or("");
  event.correlation_id = body.text("correlation_id").value_or("");
  event.producer = body.text("producer").value_or("");
  event.schema_version = body.text("schema_version").value_or("");
  return event;
}

} // namespace postrider::api
