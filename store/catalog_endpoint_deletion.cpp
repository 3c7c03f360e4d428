#include "store/catalog_impl.hpp"

namespace postrider::store {

namespace {

constexpr int chunk = 5'000;

// What may be in flight is left to the node that drives the partition: it
// records how the attempt ends, and cancels what it has not begun, since it
// knows by then that the endpoint is gone. What is held may be a trial, or on
// its way out. A retry that is not due yet is with nobody. Rows that a
// settlement holds at this moment are passed over too.
constexpr const char* cancel_sql = R"(
with chosen as (
  select d.partition, d.id from postrider.delivery d
  where d.endpoint = $2::int8 and +d.partition = $1::int2
    and d.id + 0 > $3::int8
    and (d.due_at > now() and d.due_at < 'infinity'
         or not exists (select from postrider.partition p
                        where p.id = $1::int2 and p.owner is not null
                          and p.expires_at > now()))
  order by d.id + 0 limit $4::int4 for update skip locked
), ended as (
  delete from postrider.delivery d using chosen c
  where d.partition = c.partition and d.id = c.id
  returning d.*
), noted as (
  insert into postrider.attempt (
    delivery, endpoint, event, duration_ms, partition, number, sent, final,
    outcome, reason, started_at)
  select id, endpoint, event, 0, partition, attempts, false, true,
         'cancelled', 'endpoint_deleted', now()
  from ended
)
select coalesce(max(id), 0) from ended)";

// The holder of the partition looks for what is held, and ends it.
constexpr const char* let_out_sql = R"(
update postrider.endpoint_health
set releasing = true,
    revision = nextval('postrider.endpoint_health_revision')
where endpoint = $1::int8 and not releasing)";

} // namespace

bool catalog::delete_endpoint(const uuid& id) {
  const auto marked = impl_->link.run([&](pqxx::work& work) {
    const auto rows =
        work.exec_params("update postrider.endpoint set deleted_at = now() "
                         "where public_id = $1::uuid and deleted_at is null "
                         "returning id, partition",
                         to_string(id));
    if (rows.empty())
      return rows;
    const auto key = rows[0]["id"].as<std::int64_t>();
    work.exec_params0("delete from postrider.subscription where endpoint = $1",
                      key);
    work.exec_params0(let_out_sql, key);
    return rows;
  });
  if (marked.empty())
    return false;
  const auto partition = marked[0]["partition"].as<int>();
  const auto endpoint = marked[0]["id"].as<std::int64_t>();
  // Each chunk commits, so that a long backlog holds no locks for long.
  std::int64_t last = 0;
  do {
    last = impl_->link.run([&](pqxx::work& work) {
      return work.exec_params1(cancel_sql, partition, endpoint, last, chunk)[0]
          .as<std::int64_t>();
    });
  } while (last > 0);
  return true;
}

} // namespace postrider::store
