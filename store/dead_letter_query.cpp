#include "store/dead_letter_query.hpp"

#include <fmt/core.h>

namespace postrider::store {

delivery_state state_of(const dead_letter_filter& filter) {
  const auto reason = parse_end_reason(filter.reason.value_or(""));
  using enum end_reason;
  return reason == endpoint_disabled || reason == endpoint_deleted
                 || reason == shed || reason == evicted
             ? delivery_state::cancelled
             : delivery_state::failed;
}

dead_letter_query::dead_letter_query(const dead_letter_filter& filter)
    : condition_{// The second outcome names the index that holds few rows.
                 fmt::format("a.final and a.outcome = '{}' ",
                             to_string(state_of(filter)))
                 + "and a.outcome <> 'succeeded' "
                   "and not exists (select from postrider.delivery o "
                   "where o.partition = a.partition and o.id = a.delivery) "
                   "and not exists (select from postrider.attempt l "
                   "where l.delivery = a.delivery and l.final "
                   "and l.number > a.number)"} {
  const auto add = [this](const char* condition, std::string value) {
    condition_ += fmt::format(fmt::runtime(condition), bind(std::move(value)));
  };
  const auto text = [](time_ms when) {
    return std::to_string(when.time_since_epoch().count());
  };
  if (filter.tenant)
    add(" and a.endpoint in (select id from postrider.endpoint "
        "where tenant = {})",
        *filter.tenant);
  if (filter.endpoint)
    add(" and a.endpoint = (select id from postrider.endpoint "
        "where public_id = {}::uuid)",
        to_string(*filter.endpoint));
  if (filter.error)
    add(" and postrider.failure(a.status, a.error, a.reason) = {}",
        *filter.error);
  if (filter.reason)
    add(" and a.reason = {}", *filter.reason);
  if (filter.since)
    add(" and a.at >= timestamptz 'epoch' + {}::int8 * interval '1 ms'",
        text(*filter.since));
  if (filter.until)
    add(" and a.at < timestamptz 'epoch' + {}::int8 * interval '1 ms'",
        text(*filter.until));
}

std::string dead_letter_query::bind(std::string value) {
  values_.push_back(std::move(value));
  return fmt::format("${}", values_.size());
}

pqxx::result dead_letter_query::run(pqxx::work& work,
                                    const std::string& sql) const {
  return work.exec_params(sql, pqxx::prepare::make_dynamic_params(values_));
}

} // namespace postrider::store
