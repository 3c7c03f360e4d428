#include "store/catalog_impl.hpp"
#include "store/put_back.hpp"
#include "store/retention_lock.hpp"

namespace postrider::store {

namespace {

// Calls for one delivery take turns until they commit. Nothing else puts an
// ended one back, so what a call then finds ended stays so: of two calls at
// once one puts it back and the other finds it there (LIFE-08).
constexpr const char* turn_sql =
    "select pg_advisory_xact_lock(7305452, $1::int8::int4)";

constexpr const char* open_sql = R"(
select event, endpoint, state from postrider.delivery
where partition = $1::int2 and id = $2::int8 for update)";

// Only sooner: what is due already may be in flight.
constexpr const char* hasten_sql = R"(
update postrider.delivery set due_at = now()
where partition = $1::int2 and id = $2::int8 and due_at > now())";

constexpr const char* ended_sql = R"(
select event, endpoint, outcome,
       exists (select from postrider.event e where e.id = event) as kept
from postrider.attempt
where delivery = $2::int8 and partition = $1::int2 and final
order by number desc limit 1)";

constexpr const char* disabled_sql = R"(
select exists (select from postrider.endpoint_health
               where endpoint = $1::int8 and state = 'disabled'))";

const std::string put_back_sql = put_back(
    R"(where a.delivery = $2::int8 and a.partition = $1::int2 and a.final
order by a.number desc limit 1)");

bool disabled(pqxx::work& work, const pqxx::row& of) {
  return work.exec_params1(disabled_sql, of["endpoint"].as<std::int64_t>())[0]
      .as<bool>();
}

bool fits(const pqxx::row& row, const delivery_ref& id) {
  return salt_of(id_of(row["event"])) == id.salt;
}

} // namespace

retry_answer catalog::retry(const delivery_ref& id) {
  return impl_->link.run([&](pqxx::work& work) {
    const int partition = id.partition;
    work.exec_params(turn_sql, id.id & 0x7fff'ffff);
    work.exec(share_retention_lock);
    // A settlement that is under way is waited for.
    const auto open = work.exec_params(open_sql, partition, id.id);
    if (!open.empty()) {
      if (!fits(open[0], id))
        return retry_answer::not_found;
      if (text_of(open[0]["state"]) != "retrying")
        return retry_answer::wrong_state;
      if (disabled(work, open[0]))
        return retry_answer::endpoint_disabled;
      work.exec_params0(hasten_sql, partition, id.id);
      return retry_answer::scheduled;
    }
    const auto ended = work.exec_params(ended_sql, partition, id.id);
    if (ended.empty() || !fits(ended[0], id))
      return retry_answer::not_found;
    if (text_of(ended[0]["outcome"]) == "succeeded")
      return retry_answer::wrong_state;
    if (disabled(work, ended[0]))
      return retry_answer::endpoint_disabled;
    if (!ended[0]["kept"].as<bool>())
      return retry_answer::event_dropped;
    const auto put = work.exec_params(put_back_sql, partition, id.id);
    return put.affected_rows() == 1 ? retry_answer::scheduled
                                    : retry_answer::wrong_state;
  });
}

} // namespace postrider::store
