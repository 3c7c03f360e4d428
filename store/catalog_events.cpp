#include "store/catalog_impl.hpp"
#include "store/header_json.hpp"

namespace postrider::store {

namespace {

std::optional<event_row> find_event(pqxx::work& work, const std::string& id) {
  const auto rows = work.exec_params(
      "select id, tenant, key, type, kind, content_type, headers, "
      "ordering_key, correlation_id, producer, schema_version, "
      "floor(extract(epoch from occurred_at) * 1000)::int8 as occurred_at, "
      "octet_length(payload) as size, deliveries "
      "from postrider.event where id = $1::uuid",
      id);
  if (rows.empty())
    return std::nullopt;
  const auto row = rows[0];
  event_row out;
  out.id = id_of(row["id"]);
  out.tenant = text_of(row["tenant"]);
  out.key = text_of(row["key"]);
  out.type = text_of(row["type"]);
  out.kind = text_of(row["kind"]) == "command" ? event_kind::command
                                               : event_kind::event;
  out.content_type = text_of(row["content_type"]);
  if (!row["headers"].is_null())
    out.headers = parse_headers(row["headers"].c_str());
  out.ordering_key = text_of(row["ordering_key"]);
  out.correlation_id = text_of(row["correlation_id"]);
  out.producer = text_of(row["producer"]);
  out.schema_version = text_of(row["schema_version"]);
  out.occurred_at = optional_time_of(row["occurred_at"]);
  out.accepted_at = postrider::time_of(out.id);
  out.size = row["size"].as<std::int64_t>();
  out.deliveries = row["deliveries"].as<int>();
  return out;
}

} // namespace

std::optional<event_row> catalog::event(const uuid& id) {
  return impl_->link.run(
      [&](pqxx::work& work) { return find_event(work, to_string(id)); });
}

std::optional<event_row> catalog::event_by_key(const std::string& tenant,
                                               const std::string& key) {
  return impl_->link.run([&](pqxx::work& work) -> std::optional<event_row> {
    const auto rows = work.exec_params(
        "select event from postrider.event_key where tenant = $1 and key = $2",
        tenant, key);
    if (rows.empty())
      return std::nullopt;
    return find_event(work, text_of(rows[0][0]));
  });
}

std::optional<payload_row> catalog::payload(const uuid& id) {
  return impl_->link.run([&](pqxx::work& work) -> std::optional<payload_row> {
    const auto rows =
        work.exec_params("select payload, content_type from postrider.event "
                         "where id = $1::uuid",
                         to_string(id));
    if (rows.empty())
      return std::nullopt;
    return payload_row{pqxx::binarystring{rows[0][0]}.str(),
                       text_of(rows[0][1])};
  });
}

} // namespace postrider::store
