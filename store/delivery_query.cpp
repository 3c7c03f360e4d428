#include "store/delivery_query.hpp"

#include "core/outcome.hpp"
#include "store/error.hpp"

#include <fmt/core.h>

namespace postrider::store {

namespace {

bool is_open(delivery_state state) {
  return state == delivery_state::queued || state == delivery_state::retrying
         || state == delivery_state::held;
}

// Where to look, as `s`: (partition, endpoint) of the endpoints in question,
// so that both hot indexes and the one on final attempts are walked from
// their newest end and left at the limit.
std::string by_endpoints(const std::string& condition) {
  return fmt::format("(select partition, id as endpoint "
                     "from postrider.endpoint where {}) s",
                     condition);
}

constexpr const char* every_partition =
    "(select id as partition from postrider.partition) s";

// What is held waits for an endpoint that is or was not healthy, and has an
// index by endpoint.
constexpr const char* every_unwell =
    "(select h.partition, h.endpoint as endpoint "
    "from postrider.endpoint_health h) s";

bool names_endpoints(const std::string& scope) {
  return scope.find(" as endpoint ") != std::string::npos;
}

// As the index has it that is walked: by endpoint it is on `id + 0`.
std::string open_key(const std::string& scope) {
  return names_endpoints(scope) ? "d.id + 0" : "d.id";
}

} // namespace

std::string delivery_query::bind(std::string value) {
  values_.push_back(std::move(value));
  return fmt::format("${}", values_.size());
}

std::string delivery_query::bind_time(time_ms when) {
  return fmt::format("timestamptz 'epoch' + {}::int8 * interval '1 ms'",
                     bind(std::to_string(when.time_since_epoch().count())));
}

std::string delivery_query::open_rows(const std::string& scope,
                                      const std::string& also,
                                      const std::string& rows) const {
  const bool by_endpoint = names_endpoints(scope);
  return fmt::format("select q.* from {} cross join lateral ("
                     "select d.id, d.partition, d.event, d.endpoint, d.state, "
                     "null::text as reason, d.attempts::int as attempts, "
                     "nullif(d.due_at, 'infinity') as due_at, "
                     "null::timestamptz as ended_at "
                     "from postrider.delivery d where {} {} "
                     "order by {} desc limit {}) q",
                     scope,
                     by_endpoint ? "d.endpoint = s.endpoint"
                                 : "d.partition = s.partition",
                     also, open_key(scope), rows);
}

std::string delivery_query::ended_rows(const std::string& scope,
                                       const std::string& also,
                                       const std::string& rows) const {
  // A delivery that was put back by hand has an older end: what counts is its
  // open row, or its latest end.
  return fmt::format(
      "select q.* from {} (select d.delivery as id, d.partition, d.event, "
      "d.endpoint, d.outcome as state, d.reason, "
      "d.number + d.sent::int as attempts, null::timestamptz as due_at, "
      "d.at as ended_at from postrider.attempt d where d.final {} {} "
      "and not exists (select from postrider.delivery o "
      "where o.partition = d.partition and o.id = d.delivery) "
      "and not exists (select from postrider.attempt l "
      "where l.delivery = d.delivery and l.final and l.number > d.number) "
      "order by d.delivery desc limit {}) q",
      scope.empty() ? "" : scope + " cross join lateral",
      scope.empty() ? "" : "and d.endpoint = s.endpoint", also, rows);
}

void delivery_query::finish(const std::string& source, const std::string& also,
                            const std::string& rows) {
  sql_ = fmt::format(
      "select x.id, x.partition, x.event, e.public_id as endpoint, e.tenant, "
      "x.state, x.reason, x.attempts, l.status, l.error, "
      "postrider.failure(l.status, l.error, x.reason) as failure, "
      "floor(extract(epoch from x.due_at) * 1000)::int8 as due_at, "
      "floor(extract(epoch from x.ended_at) * 1000)::int8 as ended_at "
      "from (select u.* from ({}) u join postrider.endpoint t "
      "on t.id = u.endpoint {} order by u.id desc limit {}) x "
      "join postrider.endpoint e on e.id = x.endpoint "
      "left join lateral (select a.status, a.error from postrider.attempt a "
      "where a.delivery = x.id order by a.number desc limit 1) l on true "
      "order by x.id desc",
      source, also, rows);
}

std::string delivery_query::dead(const dead_letter_filter& filter) {
  std::string out;
  if (filter.error)
    out += " and postrider.failure(d.status, d.error, d.reason) = "
           + bind(*filter.error);
  if (filter.reason)
    out += " and d.reason = " + bind(*filter.reason);
  if (filter.since)
    out += " and d.at >= " + bind_time(*filter.since);
  if (filter.until)
    out += " and d.at < " + bind_time(*filter.until);
  return out;
}

delivery_query::delivery_query(const delivery_filter& filter,
                               const page& where) {
  const auto rows = bind(std::to_string(bounded_limit(where) + 1)) + "::int4";
  std::string scope;
  std::string open;
  std::string ended;
  std::string tenant;
  if (filter.endpoint) {
    scope = by_endpoints("public_id = " + bind(to_string(*filter.endpoint))
                         + "::uuid");
  } else if (filter.tenant && !filter.event) {
    scope = by_endpoints("tenant = " + bind(*filter.tenant));
  }
  if (scope.empty() && filter.state == delivery_state::held)
    scope = every_unwell;
  const auto key = open_key(scope);
  if (filter.tenant)
    tenant = "where t.tenant = " + bind(*filter.tenant);
  if (where.before > 0) {
    const auto before = bind(std::to_string(where.before)) + "::int8";
    open += fmt::format(" and {} < {}", key, before);
    ended += " and d.delivery < " + before;
  }
  if (filter.event) {
    // The range of ids that the event's deliveries lie in.
    const auto id = bind(to_string(*filter.event)) + "::uuid";
    const auto of = " from postrider.event where id = " + id + ")";
    const auto range = fmt::format(
        "between (select first_delivery{} and (select last_delivery{} "
        "and d.event = {}",
        of, of, id);
    open += fmt::format(" and {} {}", key, range);
    ended += " and d.delivery " + range;
  }
  std::string source;
  if (!filter.state || is_open(*filter.state)) {
    if (filter.state == delivery_state::held)
      open += " and d.due_at = 'infinity'";
    else if (filter.state)
      open += " and d.state = " + bind(std::string{to_string(*filter.state)});
    source = open_rows(scope.empty() ? every_partition : scope, open, rows);
  }
  if (!filter.state || !is_open(*filter.state)) {
    if (filter.state)
      ended +=
          " and d.outcome = " + bind(std::string{to_string(*filter.state)});
    // What did not succeed is rare and has an index of its own.
    if (filter.state == delivery_state::failed
        || filter.state == delivery_state::cancelled)
      ended += " and d.outcome <> 'succeeded'";
    ended += dead(filter.dead);
    source += source.empty() ? "" : " union all ";
    source += ended_rows(scope, ended, rows);
  }
  finish(source, tenant, rows);
}

delivery_query::delivery_query(const delivery_ref& ref) {
  const auto partition = bind(std::to_string(ref.partition)) + "::int2";
  const auto id = bind(std::to_string(ref.id)) + "::int8";
  const auto open = open_rows("(select " + partition + " as partition) s",
                              "and d.id = " + id, "1");
  finish(open + " union all "
             + ended_rows("",
                          " and d.delivery = " + id
                              + " and d.partition = " + partition,
                          "1"),
         "", "1");
}

pqxx::result delivery_query::run(pqxx::work& work) const {
  walk_only(work);
  return work.exec_params(sql_, pqxx::prepare::make_dynamic_params(values_));
}

delivery_row read_delivery_row(const pqxx::row& row) {
  delivery_row out;
  out.event = id_of(row["event"]);
  out.id = {row["id"].as<std::int64_t>(),
            static_cast<std::uint16_t>(row["partition"].as<int>()),
            salt_of(out.event)};
  out.endpoint = id_of(row["endpoint"]);
  out.tenant = text_of(row["tenant"]);
  const auto state = parse_delivery_state(row["state"].c_str());
  if (!state)
    throw error{error::kind::defect, "the database gave no known state"};
  out.state = *state;
  if (!row["reason"].is_null())
    out.reason = reason_of(row["reason"]);
  out.attempts = row["attempts"].as<int>();
  out.due_at = optional_time_of(row["due_at"]);
  out.ended_at = optional_time_of(row["ended_at"]);
  out.last_status = optional_int_of(row["status"]);
  out.last_error = text_of(row["error"]);
  if (out.state == delivery_state::failed
      || out.state == delivery_state::cancelled)
    out.failure = text_of(row["failure"]);
  return out;
}

} // namespace postrider::store
