#include "store/catalog_impl.hpp"
#include "store/header_json.hpp"

namespace postrider::store {

namespace {

constexpr const char* select_event = R"(
select id, tenant, key, type, kind, content_type, headers, ordering_key,
       correlation_id, producer, schema_version,
       floor(extract(epoch from occurred_at) * 1000)::int8 as occurred_at,
       octet_length(payload) as size, deliveries
from postrider.event )";

// There is no index by tenant or type, which each event would pay for: a page
// is looked for among so many of the latest, and the next one goes on there.
constexpr int looked_at = 5'000;

constexpr const char* list_sql = R"(
with looked as materialized (
  select id, tenant, type from postrider.event
  where id < coalesce($1::uuid, 'ffffffff-ffff-ffff-ffff-ffffffffffff')
    and id >= coalesce(
          postrider.uuid_at(timestamptz 'epoch' + $2::int8 * interval '1 ms'),
          '00000000-0000-0000-0000-000000000000')
    and id < coalesce(
          postrider.uuid_at(timestamptz 'epoch' + $3::int8 * interval '1 ms'),
          'ffffffff-ffff-ffff-ffff-ffffffffffff')
  order by id desc limit $4
)
select array(select id from looked
             where (tenant = $5) is not false and (type = $6) is not false
             order by id desc limit $7) as ids,
       (select count(*) from looked) as looked,
       (select id from looked order by id limit 1) as last)";

event_row read_event(const pqxx::row& row) {
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

std::optional<event_row> find_event(pqxx::work& work, const std::string& id) {
  const auto rows =
      work.exec_params(std::string{select_event} + "where id = $1::uuid", id);
  if (rows.empty())
    return std::nullopt;
  return read_event(rows[0]);
}

std::optional<std::int64_t> number_of(const std::optional<time_ms>& time) {
  if (!time)
    return std::nullopt;
  return time->time_since_epoch().count();
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

catalog::event_page catalog::events(const event_filter& filter,
                                    const std::optional<uuid>& before,
                                    int limit) {
  const auto most = bounded_limit(limit);
  const auto look = filter.tenant || filter.type ? looked_at : most + 1;
  return impl_->link.run([&](pqxx::work& work) {
    const auto found = work.exec_params1(
        list_sql, before ? std::optional{to_string(*before)} : std::nullopt,
        number_of(filter.since), number_of(filter.until), look, filter.tenant,
        filter.type, most + 1);
    event_page out;
    for (const auto& row :
         work.exec_params(std::string{select_event}
                              + "where id = any($1::uuid[]) order by id desc",
                          text_of(found["ids"]))) {
      if (std::ssize(out.rows) == most) {
        out.next = out.rows.back().id;
        return out;
      }
      out.rows.push_back(read_event(row));
    }
    if (found["looked"].as<int>() == look)
      out.next = id_of(found["last"]);
    return out;
  });
}

} // namespace postrider::store
