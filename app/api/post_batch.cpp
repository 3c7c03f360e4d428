#include "app/api/event_body.hpp"
#include "app/api/header_body.hpp"
#include "app/api/ingest_answers.hpp"
#include "app/api/media.hpp"
#include "app/api/names.hpp"
#include "app/api/routes.hpp"
#include "core/public_id.hpp"

#include <algorithm>

namespace postrider::api {

namespace {

using item_text = std::variant<json_value, json_fault>;

/// What becomes of each item before the engine is asked.
struct batch {
  std::vector<std::optional<problem>> refused; ///< by index
  std::vector<new_event> events;               ///< the others, in order
};

std::vector<item_text> read_lines(std::string_view body, std::size_t slack) {
  std::vector<item_text> items;
  while (!body.empty()) {
    auto end = std::min(body.find('\n'), body.size());
    auto line = body.substr(0, end);
    body.remove_prefix(std::min(end + 1, body.size()));
    if (line.find_first_not_of(" \t\r") != line.npos)
      items.push_back(read_json(line, body.size() + slack));
  }
  return items;
}

/// The items of an array or of NDJSON; a problem when there is no telling
/// them apart.
std::variant<std::vector<item_text>, problem> read_items(const call& request) {
  const auto& body = request.request.body;
  auto slack = body.capacity() - body.size();
  if (media_type_of(request) == "application/x-ndjson")
    return read_lines(body, slack);
  auto text = read_json(body, slack);
  if (auto* fault = std::get_if<json_fault>(&text))
    return malformed_json(*fault);
  const auto& value = std::get<json_value>(text);
  if (value.kind != json_kind::array) {
    faults found;
    found.add("", "wrong_type",
              "a batch must be an array of events, not "
                  + std::string{describe(value.kind)});
    return invalid_body(found);
  }
  auto elements = elements_of(value);
  return std::vector<item_text>{elements.begin(), elements.end()};
}

std::optional<problem> read_item(const item_text& text, const call& request,
                                 std::vector<new_event>& events) {
  if (auto* fault = std::get_if<json_fault>(&text))
    return malformed_json(*fault);
  faults found;
  auto event = read_event(std::get<json_value>(text),
                          request.on->options.max_body, found);
  refuse_prefix(event.headers, request.on->options.header_prefix, "/headers",
                found);
  if (!found.empty())
    return invalid_body(found);
  if (!event.key.empty())
    event.fingerprint = fingerprint_of(event);
  if (auto parent = request.request.find("traceparent");
      parent && is_traceparent(*parent))
    event.traceparent = *parent;
  events.push_back(std::move(event));
  return {};
}

void write_result(json_writer& out, std::size_t index,
                  const std::optional<problem>& refused,
                  const ingest_result* stored) {
  out.begin_object();
  out.key("index").number(static_cast<std::int64_t>(index));
  if (stored && !refused) {
    out.key("id").string(event_public_id(stored->id));
    out.key("status").number(status_of(*stored));
    out.key("deliveries").number(stored->deliveries);
  } else {
    out.key("status").number(refused->status);
    out.key("problem").begin_object();
    write_members(out, *refused);
    out.end_object();
  }
  out.end_object();
}

void finish(call& request, const ingest_answer& said, batch items) {
  if (auto refused = refusal_of(said))
    return answer(request, std::move(*refused));
  std::vector<const ingest_result*> stored(items.refused.size());
  std::size_t next = 0;
  std::int64_t accepted = 0;
  std::int64_t duplicates = 0;
  auto& meters = *request.on->options.meters;
  for (std::size_t i = 0; i < stored.size(); ++i) {
    if (!items.refused[i]) {
      stored[i] = &said.results[next++];
      items.refused[i] = refusal_of(*stored[i], key_source::id);
    }
    if (items.refused[i]) {
      meters.rejected(items.refused[i]->code);
      continue;
    }
    meters.stored(event_source::batch, *stored[i], false);
    ++(stored[i]->what == ingest_result::status::duplicate ? duplicates
                                                           : accepted);
  }
  auto all = static_cast<std::int64_t>(stored.size());
  json_writer out;
  out.begin_object();
  out.key("accepted").number(accepted);
  out.key("duplicates").number(duplicates);
  out.key("rejected").number(all - accepted - duplicates);
  out.key("results").begin_array();
  for (std::size_t i = 0; i < stored.size(); ++i)
    write_result(out, i, items.refused[i], stored[i]);
  out.end_array().end_object();
  answer_json(request, 200, std::move(out));
}

std::optional<problem> refuse_key(const call& request) {
  if (!request.request.find("idempotency-key"))
    return {};
  faults found;
  found.add("", "bad_key",
            "Idempotency-Key is for one event; give each item an id instead");
  return invalid_body(found);
}

} // namespace

void post_batch(call_ptr request) {
  if (auto refused = refuse_media_type(
          *request, {"application/json", "application/x-ndjson"}))
    return answer(*request, std::move(*refused));
  if (auto refused = refuse_key(*request))
    return answer(*request, std::move(*refused));
  auto items = read_items(*request);
  if (auto* refused = std::get_if<problem>(&items))
    return answer(*request, std::move(*refused));
  const auto& texts = std::get<std::vector<item_text>>(items);
  auto most = request->on->options.max_batch;
  if (texts.size() > most)
    return answer(*request, problem{413,
                                    "payload_too_large",
                                    "a batch holds at most "
                                        + std::to_string(most) + " events",
                                    {},
                                    {}});
  batch read;
  for (const auto& text : texts)
    read.refused.push_back(read_item(text, *request, read.events));
  auto events = std::move(read.events);
  if (events.empty())
    return finish(*request, {}, std::move(read));
  request->on->engine.ingest(
      std::move(events),
      [request, read = std::move(read)](const ingest_answer& said) {
        finish(*request, said, read);
      });
}

} // namespace postrider::api
