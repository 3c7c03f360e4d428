#include "store/catalog_impl.hpp"

namespace postrider::store {

namespace {

constexpr const char* select_tenant =
    "select id, name, floor(extract(epoch from created_at) * 1000)::int8, "
    "max_in_flight, rate from postrider.tenant ";

tenant_row read_tenant(const pqxx::row& row) {
  tenant_row out{text_of(row[0]), text_of(row[1]), time_of(row[2]), {}};
  out.limits.max_in_flight = optional_int_of(row[3]);
  if (!row[4].is_null())
    out.limits.rate = row[4].as<double>();
  return out;
}

std::optional<tenant_row> find_tenant(pqxx::work& work, const std::string& id) {
  const auto rows =
      work.exec_params(std::string{select_tenant} + "where id = $1", id);
  if (rows.empty())
    return std::nullopt;
  return read_tenant(rows[0]);
}

} // namespace

bool catalog::put_tenant(const std::string& id, const std::string& name,
                         const tenant_limits& limits) {
  return impl_->link.run([&](pqxx::work& work) {
    // A row that this statement has inserted has no updater yet.
    return work
        .exec_params1("insert into postrider.tenant "
                      "(id, name, max_in_flight, rate) "
                      "values ($1, $2, $3::int4, $4::float8) "
                      "on conflict (id) do update "
                      "set name = excluded.name, rate = excluded.rate, "
                      "max_in_flight = excluded.max_in_flight, "
                      "updated_at = now() returning xmax = 0",
                      id, name, limits.max_in_flight, limits.rate)[0]
        .as<bool>();
  });
}

std::optional<tenant_row> catalog::tenant(const std::string& id) {
  return impl_->link.run(
      [&](pqxx::work& work) { return find_tenant(work, id); });
}

std::optional<tenant_row> catalog::change_tenant(const std::string& id,
                                                 const tenant_change& to) {
  return impl_->link.run([&](pqxx::work& work) {
    work.exec_params0(
        "update postrider.tenant set name = coalesce($2, name), "
        "max_in_flight = nullif(coalesce($3::int4, max_in_flight), 0), "
        "rate = nullif(coalesce($4::float8, rate), 0), updated_at = now() "
        "where id = $1",
        id, to.name, to.max_in_flight, to.rate);
    return find_tenant(work, id);
  });
}

std::vector<tenant_row> catalog::tenants(const std::string& after, int limit) {
  return impl_->link.run([&](pqxx::work& work) {
    std::vector<tenant_row> out;
    for (const auto& row : work.exec_params(
             std::string{select_tenant} + "where id > $1 order by id limit $2",
             after, bounded_limit(limit) + 1))
      out.push_back(read_tenant(row));
    return out;
  });
}

removal catalog::delete_tenant(const std::string& id) {
  if (id == operators_tenant)
    return removal::reserved;
  return impl_->link.run([&](pqxx::work& work) {
    // A new endpoint that holds the tenant is waited for, and then seen.
    if (work.exec_params("select from postrider.tenant where id = $1 "
                         "for update",
                         id)
            .empty())
      return removal::not_found;
    const auto used = work.exec_params("select from postrider.endpoint "
                                       "where tenant = $1 "
                                       "and deleted_at is null limit 1",
                                       id);
    if (!used.empty())
      return removal::in_use;
    work.exec_params0("delete from postrider.tenant where id = $1", id);
    return removal::removed;
  });
}

} // namespace postrider::store
