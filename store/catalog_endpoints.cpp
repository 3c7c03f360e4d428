#include "store/catalog_endpoints.hpp"

#include "store/error.hpp"
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
       e.rate, e.retry_statuses, e.health_policy,
       e.timeout_ms, e.connect_timeout_ms, e.version,
       floor(extract(epoch from e.created_at) * 1000)::int8 as created_at,
       floor(extract(epoch from e.updated_at) * 1000)::int8 as updated_at,
       h.state, h.cause, h.origin, h.note, h.rung, h.paused, h.pause_note,
       h.releasing,
       floor(extract(epoch from h.since) * 1000)::int8 as since,
       floor(extract(epoch from h.trial_at) * 1000)::int8 as trial_at,
       floor(extract(epoch from h.suspended_since) * 1000)::int8
         as suspended_since,
       floor(extract(epoch from h.retire_at) * 1000)::int8 as retire_at,
       case when h.not_before > now()
            then floor(extract(epoch from h.not_before) * 1000)::int8 end
         as not_before,
       floor(extract(epoch from h.paused_at) * 1000)::int8 as paused_at
from postrider.endpoint e
left join postrider.endpoint_health h on h.endpoint = e.id
where e.deleted_at is null )";

namespace {

health_view read_health(const pqxx::row& row) {
  health_view out;
  if (row["state"].is_null())
    return out;
  const auto state = parse_health_state(row["state"].c_str());
  if (!state)
    throw error{error::kind::defect, "the database gave no known health"};
  out.state = *state;
  out.since = optional_time_of(row["since"]);
  out.cause = text_of(row["cause"]);
  out.origin = text_of(row["origin"]);
  out.note = text_of(row["note"]);
  out.trials_failed = row["rung"].as<int>();
  out.next_trial_at = optional_time_of(row["trial_at"]);
  out.suspended_since = optional_time_of(row["suspended_since"]);
  out.retire_at = optional_time_of(row["retire_at"]);
  out.not_before = optional_time_of(row["not_before"]);
  out.paused = row["paused"].as<bool>();
  out.paused_at = optional_time_of(row["paused_at"]);
  out.pause_note = text_of(row["pause_note"]);
  out.releasing = row["releasing"].as<bool>();
  return out;
}

// Words of the statement, not parameters: so the planner knows that a partial
// index holds all that is asked for.
std::string health_condition(std::optional<health_filter> filter) {
  if (!filter)
    return "";
  switch (*filter) {
  case health_filter::healthy:
    return "and coalesce(h.state, 'healthy') = 'healthy' ";
  case health_filter::degraded:
    return "and h.state = 'degraded' and h.state <> 'healthy' ";
  case health_filter::suspended:
    return "and h.state = 'suspended' and h.state <> 'healthy' ";
  case health_filter::disabled:
    return "and h.state = 'disabled' and h.state <> 'healthy' ";
  case health_filter::paused:
    break;
  }
  return "and h.paused ";
}

} // namespace

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
  if (!row["rate"].is_null())
    out.rate = row["rate"].as<double>();
  out.retry_statuses = text_of(row["retry_statuses"]);
  out.health_policy = text_of(row["health_policy"]);
  out.health = read_health(row);
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
catalog::endpoints(const std::optional<std::string>& tenant, const page& where,
                   std::optional<health_filter> health) {
  const auto limit = bounded_limit(where);
  const auto before = where.before > 0
                          ? where.before
                          : std::numeric_limits<std::int64_t>::max();
  const auto rows = impl_->link.run([&](pqxx::work& work) {
    // One more than the page holds: whether there is a next one.
    const auto sql = select_endpoint + health_condition(health);
    // Along the index of those that are not healthy, or along all of them.
    const std::string end =
        health && *health != health_filter::healthy
            ? "and h.endpoint < $1 order by h.endpoint desc limit $2"
            : "and e.id < $1 order by e.id desc limit $2";
    walk_only(work);
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
