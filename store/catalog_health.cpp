#include "core/public_id.hpp"
#include "store/catalog_endpoints.hpp"
#include "store/error.hpp"

#include <fmt/core.h>

namespace postrider::store {

namespace {

// The engine locks an endpoint's health and then the endpoint: so does this,
// or they would wait for each other.
constexpr const char* lock_sql = R"(
select from postrider.endpoint_health as h
where h.endpoint = (select id from postrider.endpoint
                    where public_id = $1::uuid) for update)";

const std::string find_sql = R"(
select id, version from postrider.endpoint
where public_id = $1::uuid and deleted_at is null )";

constexpr const char* operate_sql =
    "select postrider.operate_health($1::int8, $2, $3, $4)";

// Each walks an index and ends at the limit.
constexpr const char* count_sql = R"(
select (select count(*) from (select from postrider.delivery d
        where d.endpoint = e.id limit $2::int4) o)::int4 as open,
       (select count(*) from (select from postrider.delivery d
        where d.endpoint = e.id and d.due_at = 'infinity'
        limit $2::int4) h)::int4 as held,
       (select d.event from postrider.delivery d
        where d.endpoint = e.id and d.due_at = 'infinity'
        order by d.id + 0 limit 1) as oldest
from postrider.endpoint e
where e.public_id = $1::uuid and e.deleted_at is null)";

constexpr const char* name_of(health_action what) {
  switch (what) {
  case health_action::pause:
    return "pause";
  case health_action::resume:
    return "resume";
  case health_action::disable:
    return "disable";
  case health_action::enable:
    break;
  }
  return "enable";
}

} // namespace

std::optional<endpoint_row>
catalog::operate(const uuid& id, health_action what, const std::string& note,
                 std::optional<std::int64_t> expected) {
  return impl_->link.run([&](pqxx::work& work) -> std::optional<endpoint_row> {
    work.exec_params(lock_sql, to_string(id));
    // Locked only where the version matters: an engine that writes the first
    // health of the endpoint at this moment locks it the other way round.
    const auto found = work.exec_params(
        find_sql + (expected ? "for no key update" : ""), to_string(id));
    if (found.empty())
      return std::nullopt;
    const auto version = found[0]["version"].as<std::int64_t>();
    if (expected && *expected != version)
      throw error{
          error::kind::conflict,
          fmt::format("version: it is {} now, not {}", version, *expected)};
    if (!work.exec_params1(operate_sql, found[0]["id"].as<std::int64_t>(),
                           endpoint_public_id(id), name_of(what), note)[0]
             .as<bool>())
      return std::nullopt;
    return find_endpoint(work, id);
  });
}

std::optional<open_row> catalog::open(const uuid& id) {
  return impl_->link.run([&](pqxx::work& work) -> std::optional<open_row> {
    walk_only(work);
    work.exec0("set local enable_seqscan = off");
    const auto rows =
        work.exec_params(count_sql, to_string(id), open_row::most + 1);
    if (rows.empty())
      return std::nullopt;
    open_row out;
    out.open = rows[0]["open"].as<int>();
    out.held = rows[0]["held"].as<int>();
    if (!rows[0]["oldest"].is_null())
      out.oldest_held = postrider::time_of(id_of(rows[0]["oldest"]));
    return out;
  });
}

} // namespace postrider::store
