#include "tests/faults/fleet.hpp"

#include "tests/support/eventually.hpp"

#include <fmt/core.h>
#include <pqxx/pqxx>

#include <stdexcept>

namespace postrider::testing {

using std::chrono::milliseconds;

namespace {

/// Nodes that count, and how unevenly the partitions lie: nobody may hold more
/// than its share, and nothing may lie fallow.
constexpr const char* shares_sql = R"(
with live as (
  select n.id from postrider.node n
  where n.role <> 'api' and n.standing = 'working' and not n.drain
    and n.heartbeat_at > now() - n.lease_ms * interval '1 ms'
), held as (
  select l.id, count(p.id) as many
  from live l left join postrider.partition p
    on p.owner = l.id and p.expires_at > now()
  group by l.id
)
select count(*) as nodes, coalesce(sum(many), 0) as held,
       coalesce(max(many) - min(many), 0) as spread
from held)";

} // namespace

fleet::fleet(fault_bench& bench, int count,
             std::map<std::string, std::string> settings)
    : bench_{bench}, settings_{std::move(settings)} {
  for (int i = 0; i < count; ++i)
    join();
  bench_.send_to(door_.port());
  if (!shared() || !door_.wait_for(count))
    throw std::runtime_error{"the nodes don't share the partitions: "
                             + bench.node().log()};
}

fleet::member& fleet::join(const std::string& failpoints) {
  auto& made = bench_.start(failpoints, settings_);
  members_.push_back({&made, bench_.name()});
  door_.add(made);
  return members_.back();
}

void fleet::rejoin(std::size_t i, const std::string& failpoints) {
  auto& made = bench_.start(failpoints, settings_);
  members_.at(i) = {&made, bench_.name()};
  door_.add(made);
}

int fleet::leases_of(const std::string& name) const {
  return std::stoi(bench_.here().sql(fmt::format(
      "select count(*) from postrider.partition p join postrider.node n on "
      "n.id = p.owner where n.name = '{}'",
      name)));
}

bool fleet::shared(milliseconds limit) const {
  pqxx::connection link{bench_.here().url()};
  pqxx::nontransaction ask{link};
  return eventually(
      [&] {
        const auto now = ask.exec1(shares_sql);
        return now["nodes"].as<std::size_t>() == members_.size()
               && now["held"].as<int>() == 256 && now["spread"].as<int>() <= 1;
      },
      limit);
}

milliseconds fleet::given_up(const std::string& name,
                             milliseconds limit) const {
  pqxx::connection link{bench_.here().url()};
  pqxx::nontransaction ask{link};
  const auto from = ledger_now();
  eventually(
      [&] {
        return ask.exec_params1(
                      "select count(*) from postrider.partition p left join "
                      "postrider.node n on n.id = p.owner where n.id is null "
                      "or n.name = $1",
                      name)[0]
                   .as<int>()
               == 0;
      },
      limit);
  return milliseconds{(ledger_now() - from) / 1'000};
}

} // namespace postrider::testing
