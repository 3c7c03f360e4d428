#include "store/catalog_impl.hpp"
#include "store/delivery_query.hpp"

namespace postrider::store {

namespace {

// Far above what any policy and any number of retries by hand come to.
constexpr int most_attempts = 1'000;

constexpr const char* attempts_sql = R"(
select event, number, sent, outcome, status, error, final, reason, response,
       node, duration_ms,
       floor(extract(epoch from started_at) * 1000)::int8 as started_at,
       (select u.url from postrider.endpoint_url u
        where u.endpoint = a.endpoint and u.version <= a.endpoint_version
        order by u.version desc limit 1) as url
from postrider.attempt a
where delivery = $1::int8 and partition = $2::int2
order by number, at limit $3)";

attempt_row read_attempt(const pqxx::row& row) {
  attempt_row out;
  out.number = row["number"].as<int>();
  out.sent = row["sent"].as<bool>();
  out.started_at = time_of(row["started_at"]);
  out.duration = std::chrono::milliseconds{row["duration_ms"].as<int>()};
  out.outcome = text_of(row["outcome"]);
  out.status = optional_int_of(row["status"]);
  out.error = text_of(row["error"]);
  out.final = row["final"].as<bool>();
  if (!row["reason"].is_null())
    out.reason = reason_of(row["reason"]);
  out.response = text_of(row["response"]);
  out.node = text_of(row["node"]);
  out.url = text_of(row["url"]);
  return out;
}

} // namespace

std::optional<delivery_row> catalog::delivery(const delivery_ref& id) {
  const auto rows = impl_->link.run(
      [&](pqxx::work& work) { return delivery_query{id}.run(work); });
  if (rows.empty())
    return std::nullopt;
  auto out = read_delivery_row(rows[0]);
  // The salt tells a guess, or an id from before a backup was restored.
  if (out.id != id)
    return std::nullopt;
  return out;
}

catalog::delivery_page catalog::deliveries(const delivery_filter& filter,
                                           const page& where) {
  const auto rows = impl_->link.run([&](pqxx::work& work) {
    return delivery_query{filter, where}.run(work);
  });
  delivery_page out;
  for (const auto& row : rows) {
    if (std::ssize(out.rows) == bounded_limit(where)) {
      out.next = out.rows.back().id.id;
      break;
    }
    out.rows.push_back(read_delivery_row(row));
  }
  return out;
}

std::vector<attempt_row> catalog::attempts(const delivery_ref& id) {
  const auto rows = impl_->link.run([&](pqxx::work& work) {
    return work.exec_params(attempts_sql, id.id, int{id.partition},
                            most_attempts);
  });
  std::vector<attempt_row> out;
  for (const auto& row : rows) {
    if (salt_of(id_of(row["event"])) == id.salt)
      out.push_back(read_attempt(row));
  }
  return out;
}

} // namespace postrider::store
