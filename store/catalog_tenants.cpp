#include "store/catalog_impl.hpp"

namespace postrider::store {

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
    const auto rows = work.exec_params(
        "select id, name, floor(extract(epoch from created_at) * 1000)::int8 "
        "from postrider.tenant where id = $1",
        id);
    if (rows.empty())
      return std::nullopt;
    return tenant_row{text_of(rows[0][0]), text_of(rows[0][1]),
                      time_of(rows[0][2])};
  });
}

} // namespace postrider::store
