#include "store/catalog_impl.hpp"

#include <fmt/core.h>

namespace postrider::store {

namespace {

// Far above what any policy and any number of retries by hand come to.
constexpr int most_attempts = 1'000;

constexpr const char* columns =
    "x.delivery, x.partition, x.event, e.public_id as endpoint, e.tenant, "
    "x.number, x.sent, x.outcome, x.status, x.error, x.final, x.reason, "
    "x.response, x.node, x.duration_ms, "
    "(select u.url from postrider.endpoint_url u "
    "where u.endpoint = x.endpoint and u.version <= x.endpoint_version "
    "order by u.version desc limit 1) as url, "
    "floor(extract(epoch from x.started_at) * 1000)::int8 as started_at, "
    "floor(extract(epoch from x.at) * 1000)::int8 as ended_at, "
    "(extract(epoch from x.at) * 1000000)::int8 as at";

attempt_row read_attempt(const pqxx::row& row) {
  attempt_row out;
  out.event = id_of(row["event"]);
  out.delivery = {row["delivery"].as<std::int64_t>(),
                  static_cast<std::uint16_t>(row["partition"].as<int>()),
                  salt_of(out.event)};
  out.endpoint = id_of(row["endpoint"]);
  out.tenant = text_of(row["tenant"]);
  out.number = row["number"].as<int>();
  out.sent = row["sent"].as<bool>();
  out.started_at = time_of(row["started_at"]);
  out.ended_at = time_of(row["ended_at"]);
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

// The latest of them. What did not succeed is rare and has indexes of its own,
// by time and by endpoint. What succeeded is found by time, or by its endpoint
// (all of it is final), whichever promises to be the shorter walk.
class attempt_list {
public:
  /// `endpoint` is the key of the filter's: the planner has to see the value,
  /// to know a busy one from a rare one.
  attempt_list(const attempt_filter& filter,
               const std::optional<std::int64_t>& endpoint,
               const std::optional<attempt_key>& before, int limit) {
    const auto rows = bind(limit) + "::int4";
    std::string where = "true";
    if (endpoint)
      where += fmt::format(" and a.endpoint = {}::int8", bind(*endpoint));
    if (filter.since)
      where += " and a.at >= " + moment(*filter.since);
    if (filter.until)
      where += " and a.at < " + moment(*filter.until);
    if (before) {
      const auto at = fmt::format(
          "timestamptz 'epoch' + {}::int8 * interval '1 us'", bind(before->at));
      where +=
          fmt::format(" and a.at <= {0} and (a.at, a.delivery, a.number) < "
                      "({0}, {1}::int8, {2}::int8)",
                      at, bind(before->delivery), bind(before->number));
    }
    std::string source;
    const auto add = [&](const std::string& which) {
      source += fmt::format(
          "{}(select a.* from postrider.attempt a where {} and {} "
          "order by a.at desc, a.delivery desc, a.number desc limit {})",
          source.empty() ? "" : " union all ", which, where, rows);
    };
    if (!filter.outcome && !endpoint)
      add("true");
    else if (!filter.outcome || *filter.outcome == "succeeded")
      add("a.outcome = 'succeeded' and a.final");
    if (filter.outcome && *filter.outcome != "succeeded")
      add("a.outcome <> 'succeeded' and a.outcome = " + bind(*filter.outcome));
    else if (!filter.outcome && endpoint)
      add("a.outcome <> 'succeeded'");
    sql_ = fmt::format(
        "select {} from (select u.* from ({}) u order by u.at desc, "
        "u.delivery desc, u.number desc limit {}) x "
        "join postrider.endpoint e on e.id = x.endpoint "
        "order by x.at desc, x.delivery desc, x.number desc",
        columns, source, rows);
  }

  pqxx::result run(pqxx::work& work) const {
    walk_only(work);
    return work.exec_params(sql_, pqxx::prepare::make_dynamic_params(values_));
  }

private:
  std::string bind(std::string value) {
    values_.push_back(std::move(value));
    return fmt::format("${}", values_.size());
  }
  std::string bind(std::int64_t value) { return bind(std::to_string(value)); }
  std::string moment(time_ms when) {
    return fmt::format("timestamptz 'epoch' + {}::int8 * interval '1 ms'",
                       bind(when.time_since_epoch().count()));
  }

  std::string sql_;
  std::vector<std::string> values_;
};

} // namespace

std::vector<attempt_row> catalog::attempts(const delivery_ref& id) {
  const auto rows = impl_->link.run([&](pqxx::work& work) {
    return work.exec_params(
        fmt::format("select {} from postrider.attempt x "
                    "join postrider.endpoint e on e.id = x.endpoint "
                    "where x.delivery = $1::int8 and x.partition = $2::int2 "
                    "order by x.number, x.at limit $3",
                    columns),
        id.id, int{id.partition}, most_attempts);
  });
  std::vector<attempt_row> out;
  for (const auto& row : rows) {
    if (auto one = read_attempt(row); one.delivery == id)
      out.push_back(std::move(one));
  }
  return out;
}

attempt_page catalog::attempts(const attempt_filter& filter,
                               const std::optional<attempt_key>& before,
                               int limit) {
  const auto most = bounded_limit(limit);
  const auto rows = impl_->link.run([&](pqxx::work& work) {
    std::optional<std::int64_t> endpoint;
    if (filter.endpoint) {
      const auto found = work.exec_params(
          "select id from postrider.endpoint where public_id = $1::uuid",
          to_string(*filter.endpoint));
      if (found.empty())
        return found;
      endpoint = found[0][0].as<std::int64_t>();
    }
    // One more than the page holds: whether there is a next one.
    return attempt_list{filter, endpoint, before, most + 1}.run(work);
  });
  attempt_page out;
  for (const auto& row : rows) {
    if (std::ssize(out.rows) == most)
      return out;
    out.rows.push_back(read_attempt(row));
    const auto& last = out.rows.back();
    out.next = {row["at"].as<std::int64_t>(), last.delivery.id, last.number};
  }
  out.next.reset();
  return out;
}

std::optional<attempt_row> catalog::attempt(const attempt_ref& id) {
  const auto rows = impl_->link.run([&](pqxx::work& work) {
    return work.exec_params(
        fmt::format("select {} from postrider.attempt x "
                    "join postrider.endpoint e on e.id = x.endpoint "
                    "where x.delivery = $1::int8 and x.number = $2::int2 "
                    "order by x.at limit 2",
                    columns),
        id.delivery, id.number);
  });
  for (const auto& row : rows) {
    // The salt tells a guess, or an id from before a backup was restored.
    if (auto one = read_attempt(row); one.delivery.salt == id.salt)
      return one;
  }
  return std::nullopt;
}

} // namespace postrider::store
