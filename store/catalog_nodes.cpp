#include "store/catalog_impl.hpp"

namespace postrider::store {

namespace {

// Silent: past its lease, so that others take over what it held.
constexpr const char* nodes_sql = R"(
select n.id, n.name, n.version, n.role, n.clock_ahead_ms, leases,
       floor(extract(epoch from n.started_at) * 1000)::int8 as started_at,
       floor(extract(epoch from n.heartbeat_at) * 1000)::int8 as heartbeat_at,
       silent,
       case when silent > n.lease_ms then 'silent'
            when n.standing = 'leaving' then 'stopping'
            when n.standing = 'stalled' then 'stalled'
            when n.drain and leases > 0 then 'draining'
            when n.drain then 'drained'
            else 'active' end as state
from postrider.node n
cross join lateral (
  select count(*) as leases from postrider.partition p
  where p.owner = n.id and p.expires_at > now()) as held
cross join lateral (
  select greatest(floor(extract(epoch from now() - n.heartbeat_at) * 1000), 0)
           ::int8 as silent) as since
where $1::uuid is null or n.id = $1::uuid
order by n.name, n.id)";

node_row row_of(const pqxx::row& row) {
  node_row one;
  one.id = id_of(row["id"]);
  one.name = text_of(row["name"]);
  one.version = text_of(row["version"]);
  one.started_at = time_of(row["started_at"]);
  one.heartbeat_at = time_of(row["heartbeat_at"]);
  one.silent = std::chrono::milliseconds{row["silent"].as<std::int64_t>()};
  one.leases = row["leases"].as<int>();
  one.role = text_of(row["role"]);
  one.state = text_of(row["state"]);
  one.clock_ahead =
      std::chrono::milliseconds{row["clock_ahead_ms"].as<std::int64_t>()};
  return one;
}

} // namespace

std::vector<node_row> catalog::nodes() {
  return impl_->link.run([](pqxx::work& work) {
    std::vector<node_row> out;
    for (const auto& row :
         work.exec_params(nodes_sql, std::optional<std::string>{}))
      out.push_back(row_of(row));
    return out;
  });
}

std::optional<node_row> catalog::drain_node(uuid id, bool drain) {
  return impl_->link.run([&](pqxx::work& work) {
    std::optional<node_row> out;
    const auto which = to_string(id);
    work.exec_params0(
        "update postrider.node set drain = $2 where id = $1::uuid", which,
        drain);
    for (const auto& row : work.exec_params(nodes_sql, which))
      out = row_of(row);
    return out;
  });
}

} // namespace postrider::store
