#include "store/ingest_parameters.hpp"

#include "store/header_json.hpp"

#include <utility>

namespace postrider::store {

using pg::array;
using pg::type;

namespace {

std::int64_t micros_of(std::chrono::sys_time<std::chrono::milliseconds> at) {
  return std::chrono::microseconds{at.time_since_epoch()}.count();
}

// A column of the batch; an empty string is a null.
template <class Field>
array texts(std::span<const new_event> batch, Field field,
            type element = type::text) {
  std::size_t bytes = 0;
  for (const auto& each : batch)
    bytes += (each.*field).size();
  array out{element};
  out.reserve(batch.size(), bytes);
  for (const auto& each : batch) {
    const std::string& value = each.*field;
    value.empty() ? out.null() : out.bytes(value);
  }
  return out;
}

// An empty one is a payload like others.
array payloads_of(std::span<const new_event> batch) {
  std::size_t bytes = 0;
  for (const auto& each : batch)
    bytes += each.payload.size();
  array out{type::bytea};
  out.reserve(batch.size(), bytes);
  for (const auto& each : batch)
    out.bytes(each.payload);
  return out;
}

} // namespace

pg::params ingest_parameters(std::span<const new_event> batch) {
  array kinds{type::text};
  array headers{type::jsonb};
  array occurred{type::timestamptz};
  for (const auto& each : batch) {
    kinds.bytes(each.kind == event_kind::command ? "command" : "event");
    each.headers.empty() ? headers.null()
                         : headers.json(format_headers(each.headers));
    each.occurred_at ? occurred.micros(micros_of(*each.occurred_at))
                     : occurred.null();
  }
  const auto column = [&](auto field, type element = type::text) {
    return texts(batch, field, element);
  };
  pg::params out;
  out.add(column(&new_event::tenant)).add(column(&new_event::type));
  out.add(std::move(kinds)).add(payloads_of(batch));
  out.add(column(&new_event::key));
  out.add(column(&new_event::fingerprint, type::bytea));
  out.add(column(&new_event::content_type)).add(std::move(headers));
  out.add(column(&new_event::ordering_key));
  out.add(column(&new_event::correlation_id));
  out.add(column(&new_event::producer));
  out.add(column(&new_event::schema_version));
  out.add(column(&new_event::traceparent)).add(std::move(occurred));
  return out;
}

} // namespace postrider::store
