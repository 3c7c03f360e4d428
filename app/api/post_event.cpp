#include "app/api/event_body.hpp"
#include "app/api/header_body.hpp"
#include "app/api/ingest_answers.hpp"
#include "app/api/media.hpp"
#include "app/api/names.hpp"
#include "app/api/rfc3339.hpp"
#include "app/api/routes.hpp"
#include "core/public_id.hpp"

namespace postrider::api {

namespace {

/// Joins the `Idempotency-Key` header to the event's id: one key space.
key_source read_key(const call& request, new_event& event, faults& found) {
  std::optional<std::string_view> given;
  for (const auto& [name, value] : request.request.headers) {
    if (!same_header_name(name, "idempotency-key"))
      continue;
    if (given || !is_key(value)) {
      found.add("", "bad_key",
                "Idempotency-Key must be given once, with 1 to 255 visible "
                "ASCII characters");
      return key_source::header;
    }
    given = value;
  }
  if (!given)
    return event.key.empty() ? key_source::none : key_source::id;
  if (!event.key.empty() && event.key != *given) {
    found.add("/id", "key_mismatch",
              "differs from the Idempotency-Key header; give one of both");
    return key_source::id;
  }
  auto source = event.key.empty() ? key_source::header : key_source::id;
  event.key = *given;
  return source;
}

void finish(call& request, const ingest_answer& said, key_source source,
            const std::string& key) {
  if (auto refused = refusal_of(said))
    return answer(request, std::move(*refused));
  const auto& result = said.results.front();
  if (auto refused = refusal_of(result, source))
    return answer(request, std::move(*refused));
  request.on->options.meters->stored(event_source::api, result,
                                     source == key_source::header);
  auto duplicate = result.what == ingest_result::status::duplicate;
  auto id = event_public_id(result.id);
  json_writer out;
  out.begin_object();
  out.key("id").string(id);
  out.text_if("key", key);
  out.key("duplicate").boolean(duplicate);
  out.key("deliveries").number(result.deliveries);
  out.key("accepted_at").string(to_rfc3339(time_of(result.id)));
  out.end_object();
  std::vector<header> headers{{"Location", "/v1/events/" + id}};
  if (duplicate && source == key_source::header)
    headers.push_back({"Idempotency-Replayed", "true"});
  answer_json(request, status_of(result), std::move(out), std::move(headers));
}

} // namespace

void post_event(call_ptr request) {
  if (auto refused = refuse_media_type(*request, {"application/json"}))
    return answer(*request, std::move(*refused));
  const auto& bytes = request->request.body;
  auto text = read_json(bytes, bytes.capacity() - bytes.size());
  if (auto* fault = std::get_if<json_fault>(&text))
    return answer(*request, malformed_json(*fault));
  faults found;
  auto event = read_event(std::get<json_value>(text),
                          request->on->options.max_body, found);
  refuse_prefix(event.headers, request->on->options.header_prefix, "/headers",
                found);
  auto source = read_key(*request, event, found);
  if (!found.empty())
    return answer(*request, invalid_body(found));
  if (source != key_source::none)
    event.fingerprint = fingerprint_of(event);
  if (auto parent = request->request.find("traceparent");
      parent && is_traceparent(*parent))
    event.traceparent = *parent;
  auto key = event.key;
  std::vector<new_event> events;
  events.push_back(std::move(event));
  request->request.body.clear();
  request->on->engine.ingest(
      std::move(events),
      [request, source, key = std::move(key)](const ingest_answer& said) {
        finish(*request, said, source, key);
      });
}

} // namespace postrider::api
