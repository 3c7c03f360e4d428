#include "store/leases.hpp"

#include "core/caution.hpp"
#include "core/failpoint.hpp"
#include "store/session.hpp"

#include <algorithm>
#include <utility>

namespace postrider::store {

namespace {

using std::chrono::milliseconds;

// The only clock is the database's: a node says how long, never when. now() is
// when the statement began, so a wait for a lock makes a lease shorter.

// Renews what another node has not taken meanwhile: the update waits for the
// taker's lock, then finds the owner changed. `others` sees the rows as they
// were before, so this node's own is told by `me`.
constexpr const char* beat_sql = R"(
with me as (
  insert into postrider.node
    (id, name, version, role, standing, lease_ms, clock_ahead_ms)
  values ($1::uuid, $2, $4, $5, $6, $3::int8, $7::int8)
  on conflict (id) do update
  set name = excluded.name, version = excluded.version, role = excluded.role,
      standing = excluded.standing, lease_ms = excluded.lease_ms,
      clock_ahead_ms = excluded.clock_ahead_ms, heartbeat_at = now()
  returning drain
), renewed as (
  update postrider.partition p
  set expires_at = now() + $3::int8 * interval '1 ms',
      crashes = case when calm then 0 else crashes end,
      suspect_crashes = case when calm then 0 else suspect_crashes end
  from (select id as of, taken_at < now() - $8::int8 * interval '1 ms' as calm
        from postrider.partition where owner = $1::uuid) as been
  where id = of and owner = $1::uuid and $6 <> 'stalled'
  returning id, epoch, crashes,
            case when suspect_crashes >= $9::int4 then suspect end as culprit
), counted as (
  select count(*) as partitions,
         count(*) filter (where owner is null
                          or owner <> $1::uuid and expires_at <= now()) as free
  from postrider.partition
), others as (
  select count(*) as live, count(*) filter (where id < $1::uuid) as before
  from postrider.node
  where id <> $1::uuid and role <> 'api' and standing = 'working' and not drain
    and heartbeat_at > now() - $3::int8 * interval '1 ms'
)
select partitions, free, live, before, drain, id, epoch, crashes, culprit,
       (extract(epoch from clock_timestamp()) * 1000)::int8 as clock
from counted cross join others cross join me left join renewed on true)";

// A row that another node renews or takes at this moment is passed over; one
// that was renewed before the lock is looked at again and found taken. What
// this node let expire itself is renewed by its next beat.
constexpr const char* acquire_sql = R"(
with free as (
  select id, owner is not null as crashed from postrider.partition
  where owner is null or owner <> $1::uuid and expires_at <= now()
  order by id limit $3::int4 for update skip locked
)
update postrider.partition p
set owner = $1::uuid, epoch = p.epoch + 1,
    expires_at = now() + $2::int8 * interval '1 ms',
    taken_at = now(), handling = null, crashes = p.crashes + crashed::int,
    suspect = case when crashed then coalesce(p.handling, p.suspect)
              else p.suspect end,
    suspect_crashes = case when not crashed or p.handling is null
                           then p.suspect_crashes
                           when p.handling = p.suspect
                           then p.suspect_crashes + 1 else 1 end
from free where p.id = free.id
returning p.id, p.epoch, p.crashes,
          case when p.suspect_crashes >= $4::int4 then p.suspect end as culprit)";

constexpr const char* mark_sql = R"(
update postrider.partition set handling = nullif($4::int8, 0)
where id = $2::int4 and epoch = $3::int8 and owner = $1::uuid)";

// Released under the epoch that is given back: a lease that changed hands
// stays with its new owner.
constexpr const char* release_sql = R"(
update postrider.partition p
set owner = null, expires_at = '-infinity', handling = null
from unnest($2::int8[], $3::int8[]) as g(partition, epoch)
where p.id = g.partition and p.epoch = g.epoch and p.owner = $1::uuid)";

constexpr std::int64_t calm_milliseconds =
    std::chrono::milliseconds{calm_after}.count();

/// A claim that looks at nobody's token, and draws none of its own.
const char* as_claimed(const char* sql) {
  POSTRIDER_IF_FAILS("defect.claim_unheld",
                     return failpoint::altered(
                         failpoint::altered(sql, "and expires_at <= now()", ""),
                         "epoch + 1", "epoch"));
  return sql;
}

std::chrono::milliseconds wall_clock() {
  using namespace std::chrono;
  return floor<milliseconds>(system_clock::now().time_since_epoch());
}

// A heartbeat that hangs has to be given up while there is time for another
// one under the same lease.
database in_time(database where, milliseconds lease_time) {
  const auto most = std::max(lease_time / 5, milliseconds{1'000});
  where.statement_timeout = std::min(where.statement_timeout, most);
  where.lock_timeout = std::min(where.lock_timeout, most);
  where.silence = std::min(where.silence, most);
  return where;
}

const char* name_of(standing how) {
  switch (how) {
  case standing::leaving:
    return "leaving";
  case standing::stalled:
    return "stalled";
  case standing::working:
    break;
  }
  return "working";
}

lease lease_of(const pqxx::row& row) {
  return {static_cast<std::uint16_t>(row["id"].as<int>()),
          row["epoch"].as<std::int64_t>(), row["crashes"].as<int>(),
          row["culprit"].as<std::int64_t>(0)};
}

} // namespace

class leases::impl {
public:
  impl(database where, uuid id, std::string called, milliseconds span,
       std::string release, std::string part)
      : link{in_time(std::move(where), span), "postrider leases"},
        node{to_string(id)},
        name{std::move(called)},
        lease_time{span.count()},
        version{std::move(release)},
        role{std::move(part)} {}

  session link;
  std::string node;
  std::string name;
  std::int64_t lease_time; ///< in milliseconds
  std::string version;
  std::string role;
  std::int64_t clock_ahead = 0; ///< as the last heartbeat found it
};

leases::leases(database where, uuid node, std::string name,
               std::chrono::milliseconds lease_time, std::string version,
               std::string role)
    : impl_{std::make_unique<impl>(std::move(where), node, std::move(name),
                                   lease_time, std::move(version),
                                   std::move(role))} {}

leases::~leases() = default;

heartbeat leases::beat(standing how) {
  return impl_->link.run([this, how](pqxx::work& work) {
    const auto before = wall_clock();
    const auto rows = work.exec_params(
        as_claimed(beat_sql), impl_->node, impl_->name, impl_->lease_time,
        impl_->version, impl_->role, name_of(how), impl_->clock_ahead,
        calm_milliseconds, culprit_after);
    const auto after = wall_clock();
    heartbeat out;
    // The database looked at its clock somewhere in between.
    const std::chrono::milliseconds theirs{rows[0]["clock"].as<std::int64_t>()};
    out.clock_ahead = before > theirs  ? before - theirs
                      : after < theirs ? after - theirs
                                       : std::chrono::milliseconds{0};
    impl_->clock_ahead = out.clock_ahead.count();
    out.partitions = rows[0]["partitions"].as<int>();
    out.free = rows[0]["free"].as<int>();
    out.live_nodes = rows[0]["live"].as<int>() + 1;
    out.rank = rows[0]["before"].as<int>();
    out.drain = rows[0]["drain"].as<bool>();
    for (const auto& row : rows) {
      if (!row["id"].is_null())
        out.held.push_back(lease_of(row));
    }
    return out;
  });
}

std::vector<lease> leases::acquire(int count) {
  return impl_->link.run([&](pqxx::work& work) {
    std::vector<lease> out;
    for (const auto& row :
         work.exec_params(as_claimed(acquire_sql), impl_->node,
                          impl_->lease_time, count, culprit_after))
      out.push_back(lease_of(row));
    return out;
  });
}

void leases::release(std::span<const lease> given) {
  if (given.empty())
    return;
  std::vector<std::int64_t> partitions;
  std::vector<std::int64_t> epochs;
  for (const auto& one : given) {
    partitions.push_back(one.partition);
    epochs.push_back(one.epoch);
  }
  impl_->link.run([&](pqxx::work& work) {
    work.exec_params0(release_sql, impl_->node, number_array(partitions),
                      number_array(epochs));
  });
}

bool leases::mark(const lease& under, std::int64_t delivery) {
  return impl_->link.run([&](pqxx::work& work) {
    return work.exec_params0(mark_sql, impl_->node,
                             static_cast<int>(under.partition), under.epoch,
                             delivery)
               .affected_rows()
           == 1;
  });
}

void leases::leave() {
  impl_->link.run([this](pqxx::work& work) {
    work.exec_params0("update postrider.partition set owner = null, "
                      "expires_at = '-infinity', handling = null "
                      "where owner = $1::uuid",
                      impl_->node);
    work.exec_params0("delete from postrider.node where id = $1::uuid",
                      impl_->node);
  });
}

int leases::sweep() {
  return impl_->link.run([this](pqxx::work& work) {
    work.exec_params0("delete from postrider.node where id <> $1::uuid and "
                      "heartbeat_at < now() - 10 * $2::int8 * interval '1 ms'",
                      impl_->node, impl_->lease_time);
    return work
        .exec_params1("select count(*) from postrider.partition "
                      "where owner <> $1::uuid and expires_at <= now()",
                      impl_->node)[0]
        .as<int>();
  });
}

} // namespace postrider::store
