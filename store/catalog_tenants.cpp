#include "store/catalog_impl.hpp"

namespace postrider::store {

namespace {

constexpr const char* select_tenant =
    "select id, name, floor(extract(epoch from created_at) * 1000)::int8 "
    "from postrider.tenant ";

tenant_row read_tenant(const pqxx::row& row) {
  return {text_of(row[0]), text_of(row[1]), time_of(row[2])};
}

} // namespace

bool catalog::put_tenant(const std::string& id, const std::string& name) {
  return impl_->link.run([&](pqxx::work& work) {
    // A row that this statement has inserted has no updater yet.
    return work
        .exec_params1("insert into postrider.tenant (id, name) values ($1, $2) "
                      "on conflict (id) do update "
                      "set name = excluded.name, updated_at = now() "
                      "returning xmax = 0",
                      id, name)[0]
        .as<bool>();
  });
}

std::optional<tenant_row> catalog::tenant(const std::string& id) {
  return impl_->link.run([&](pqxx::work& work) -> std::optional<tenant_row> {
    const auto rows =
        work.exec_params(std::string{select_tenant} + "where id = $1", id);
    if (rows.empty())
      return std::nullopt;
    return read_tenant(rows[0]);
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
