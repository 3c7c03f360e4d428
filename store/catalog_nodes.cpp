#include "store/catalog_impl.hpp"

namespace postrider::store {

namespace {

constexpr const char* nodes_sql = R"(
select n.id, n.name, n.version,
       floor(extract(epoch from n.started_at) * 1000)::int8 as started_at,
       floor(extract(epoch from n.heartbeat_at) * 1000)::int8 as heartbeat_at,
       greatest(floor(extract(epoch from now() - n.heartbeat_at) * 1000), 0)
         ::int8 as silent,
       (select count(*) from postrider.partition p
        where p.owner = n.id and p.expires_at > now()) as leases
from postrider.node n order by n.name, n.id)";

} // namespace

std::vector<node_row> catalog::nodes() {
  return impl_->link.run([](pqxx::work& work) {
    std::vector<node_row> out;
    for (const auto& row : work.exec(nodes_sql)) {
      node_row one;
      one.id = id_of(row["id"]);
      one.name = text_of(row["name"]);
      one.version = text_of(row["version"]);
      one.started_at = time_of(row["started_at"]);
      one.heartbeat_at = time_of(row["heartbeat_at"]);
      one.silent = std::chrono::milliseconds{row["silent"].as<std::int64_t>()};
      one.leases = row["leases"].as<int>();
      out.push_back(std::move(one));
    }
    return out;
  });
}

} // namespace postrider::store
