#include "store/catalog_endpoints.hpp"

#include "store/header_json.hpp"

#include <limits>
#include <nlohmann/json.hpp>

namespace postrider::store {

using std::chrono::milliseconds;

const char* const select_endpoint = R"(
select e.id as key, e.public_id, e.tenant, e.uid, e.url, e.description,
       (select json_agg(s.pattern order by s.pattern)
        from postrider.subscription s where s.endpoint = e.id) as types,
       e.ordering, e.ordering_key, e.retry, e.headers, e.max_in_flight,
       e.timeout_ms, e.connect_timeout_ms, e.version,
       floor(extract(epoch from e.created_at) * 1000)::int8 as created_at,
       floor(extract(epoch from e.updated_at) * 1000)::int8 as updated_at
from postrider.endpoint e
where e.deleted_at is null )";

endpoint_row read_endpoint_row(const pqxx::row& row) {
  endpoint_row out;
  out.id = id_of(row["public_id"]);
  out.tenant = text_of(row["tenant"]);
  out.uid = text_of(row["uid"]);
  out.url = text_of(row["url"]);
  out.description = text_of(row["description"]);
  if (!row["types"].is_null())
    out.types = nlohmann::json::parse(row["types"].c_str())
                    .get<std::vector<std::string>>();
  out.ordering = text_of(row["ordering"]);
  out.ordering_key = text_of(row["ordering_key"]);
  out.retry = text_of(row["retry"]);
  out.headers = parse_headers(row["headers"].c_str());
  out.max_in_flight = row["max_in_flight"].as<int>();
  out.timeout = milliseconds{row["timeout_ms"].as<int>(0)};
  out.connect_timeout = milliseconds{row["connect_timeout_ms"].as<int>(0)};
  out.version = row["version"].as<std::int64_t>();
  out.created_at = time_of(row["created_at"]);
  out.updated_at = time_of(row["updated_at"]);
  return out;
}

std::optional<endpoint_row> find_endpoint(pqxx::work& work, const uuid& id) {
  const auto rows = work.exec_params(std::string{select_endpoint}
                                         + "and e.public_id = $1::uuid",
                                     to_string(id));
  if (rows.empty())
    return std::nullopt;
  return read_endpoint_row(rows[0]);
}

std::optional<endpoint_row> catalog::endpoint(const uuid& id) {
  return impl_->link.run(
      [&](pqxx::work& work) { return find_endpoint(work, id); });
}

catalog::endpoint_page
catalog::endpoints(const std::optional<std::string>& tenant,
                   const page& where) {
  const auto limit = bounded_limit(where);
  const auto before = where.before > 0
                          ? where.before
                          : std::numeric_limits<std::int64_t>::max();
  const auto rows = impl_->link.run([&](pqxx::work& work) {
    // One more than the page holds: whether there is a next one.
    const std::string sql = select_endpoint;
    const std::string end = "and e.id < $1 order by e.id desc limit $2";
    return tenant ? work.exec_params(sql + "and e.tenant = $3 " + end, before,
                                     limit + 1, *tenant)
                  : work.exec_params(sql + end, before, limit + 1);
  });
  endpoint_page out;
  for (const auto& row : rows) {
    if (std::ssize(out.rows) == limit)
      return out;
    out.rows.push_back(read_endpoint_row(row));
    out.next = row["key"].as<std::int64_t>();
  }
  out.next = 0;
  return out;
}

} // namespace postrider::store
