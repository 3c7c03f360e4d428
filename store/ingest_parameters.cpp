#include "store/ingest_parameters.hpp"

#include "store/header_json.hpp"

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
  array out{element};
  for (const auto& each : batch) {
    const std::string& value = each.*field;
    value.empty() ? out.null() : out.bytes(value);
  }
  return out;
}

} // namespace

pg::params ingest_parameters(std::span<const new_event> batch) {
  array kinds{type::text};
  array payloads{type::bytea};
  array headers{type::jsonb};
  array occurred{type::timestamptz};
  for (const auto& each : batch) {
    kinds.bytes(each.kind == event_kind::command ? "command" : "event");
    payloads.bytes(each.payload);
    each.headers.empty() ? headers.null()
                         : headers.json(format_headers(each.headers));
    each.occurred_at ? occurred.micros(micros_of(*each.occurred_at))
                     : occurred.null();
  }
  auto tenants = texts(batch, &new_event::tenant);
  auto types = texts(batch, &new_event::type);
  auto keys = texts(batch, &new_event::key);
  auto prints = texts(batch, &new_event::fingerprint, type::bytea);
  auto content_types = texts(batch, &new_event::content_type);
  auto ordering_keys = texts(batch, &new_event::ordering_key);
  auto correlations = texts(batch, &new_event::correlation_id);
  auto producers = texts(batch, &new_event::producer);
  auto versions = texts(batch, &new_event::schema_version);
  auto traceparents = texts(batch, &new_event::traceparent);
  pg::params out;
  out.add(tenants).add(types).add(kinds).add(payloads).add(keys).add(prints);
  out.add(content_types).add(headers).add(ordering_keys).add(correlations);
  out.add(producers).add(versions).add(traceparents).add(occurred);
  return out;
}

} // namespace postrider::store
