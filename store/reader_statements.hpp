#pragma once

#include "store/health_rows.hpp"
#include "store/pg.hpp"

#include <string>
#include <vector>

// The hot reads. None of them locks or writes, so each may run at any time
// beside any other statement; what a row says may have changed when it is
// used, and the fence of the settlement decides then. A test explains their
// plans.

#define POSTRIDER_DELIVERY_COLUMNS                                             \
  "d.id, d.partition, d.endpoint, d.event, d.stream, d.attempts, "             \
  "d.max_attempts, d.size, d.deadline, d.due_at, now()"
#define POSTRIDER_NO_DELIVERY                                                  \
  "null::int8, null::int2, null::int8, null::uuid, null::int8, null::int2, "   \
  "null::int2, null::int4, null::timestamptz, null::timestamptz, now()"

namespace postrider::store::statements {

// Endpoints to be left out are a subselect, which the server hashes; an array
// that is not known when a plan is made it would compare one by one.

// Each statement leaves the planner one index to choose, whatever it believes
// of the table's size: `id + 0` is what the index by endpoint is on, and
// `+d.partition` is a filter but no condition for an index.

/// The plan is pinned: one that was made while the table was empty, and is kept
/// by the prepared statement, would read it whole later (PERFORMANCE 2.10). The
/// price that a disabled scan carries would also make the server compile each
/// statement, and start workers for it.
inline std::vector<std::string> reader_settings() {
  return {"set enable_seqscan = off",
          "set enable_bitmapscan = off",
          "set plan_cache_mode = force_generic_plan",
          "set jit = off",
          "set max_parallel_workers_per_gather = 0",
          "set default_transaction_read_only = on"};
}

/// One row: the highest id given out, the snapshot, and the transaction id that
/// comes next (`age` counts to it), read after the snapshot was taken.
inline constexpr pg::statement peek{"peek", R"(
select case when is_called then last_value else 0 end,
       pg_current_snapshot()::text, age('3'::xid)
from postrider.delivery_id)"};

/// The row of `peek`, under the same snapshot as the rows behind it.
inline constexpr pg::statement read{"read", R"(
select )" POSTRIDER_NO_DELIVERY R"(,
       case when is_called then last_value else 0 end,
       pg_current_snapshot()::text, age('3'::xid)
from postrider.delivery_id
union all
(select )" POSTRIDER_DELIVERY_COLUMNS R"(, null, null, null
 from postrider.delivery d
 where d.partition = any($1::int2[]) and d.id > $2::int8 and d.id <= $3::int8
   and d.due_at is null
   and d.endpoint not in (select unnest($4::int8[]))
 order by d.id limit $5::int4))"};

/// A lateral join from an array: of the hot statements this and `start_of` are
/// the ones that a distributed PostgreSQL would have to run as one statement
/// for each wanted share.
inline constexpr pg::statement read_lagging{"read_lagging", R"(
select )" POSTRIDER_DELIVERY_COLUMNS R"(
from unnest($1::int2[], $2::int8[], $3::int8[], $4::int4[], $6::bool[])
       as w(partition, endpoint, after, room, held)
cross join lateral (
  select * from postrider.delivery q
  where q.endpoint = w.endpoint and q.id + 0 > w.after
    and q.id + 0 <= $5::int8 and +q.partition = w.partition
    and (q.due_at is null or w.held and q.due_at = 'infinity')
  order by q.id + 0 limit w.room) d)"};

/// By the index on due_at alone: it ends at the limit however much is due. The
/// first row tells the time.
inline constexpr pg::statement read_due{"read_due", R"(
select )" POSTRIDER_NO_DELIVERY R"(
union all
(select )" POSTRIDER_DELIVERY_COLUMNS R"(
 from postrider.delivery d
 where d.due_at > $2::timestamptz and d.due_at <= now()
   and d.due_at < 'infinity'
   and +d.partition = any($1::int2[])
   and d.endpoint not in (select unnest($3::int8[]))
 order by d.due_at limit $4::int4))"};

inline constexpr pg::statement sweep{"sweep", R"(
select )" POSTRIDER_DELIVERY_COLUMNS R"(
from postrider.delivery d
where d.partition = $1::int2 and d.id > $2::int8
  and (d.due_at is null or d.due_at <= now())
order by d.id limit $3::int4)"};

inline constexpr pg::statement start_of{"start_of", R"(
select min(d.id) - 1
from unnest($1::int2[]) as w(partition)
cross join lateral (
  select q.id from postrider.delivery q
  where q.partition = w.partition and q.due_at is null
  order by q.id limit 1) d)"};

/// The bounds are those of the array: with them alone the server knows which
/// days to look into before it starts.
inline constexpr pg::statement events{"events", R"(
select id, type, content_type, headers::text, traceparent, payload
from postrider.event
where id = any($1::uuid[]) and id >= $2::uuid and id <= $3::uuid)"};

#define POSTRIDER_ENDPOINT_COLUMNS                                             \
  "e.id, e.public_id, e.tenant, e.version, e.partition, "                      \
  "e.deleted_at is not null, e.url, e.ordering, e.retry, e.headers::text, "    \
  "e.max_in_flight, e.connect_timeout_ms, e.timeout_ms, s.sealed, "            \
  "(extract(epoch from s.expires_at - now()) * 1000)::int8, "                  \
  "e.rate, e.retry_statuses, e.health_policy, " POSTRIDER_HEALTH_COLUMNS

/// Endpoints for which something is to be done now, whether or not they have
/// traffic: a trial is due, an incident ends, what was held goes out. Tells
/// whether anything is held for them; a suspended one for which nothing is has
/// no need of a trial.
inline constexpr pg::statement health_due{"health_due", R"(
select w.endpoint, w.partition, w.held
from (
  select h.endpoint, h.partition, h.state, h.retire_at, h.shedding,
         exists (select from postrider.delivery d
                 where d.endpoint = h.endpoint and d.due_at = 'infinity')
           as held
  from postrider.endpoint_health h
  where least(h.trial_at, h.retire_at) <= now() and not h.paused
    and h.partition = any($1::int2[])
  order by least(h.trial_at, h.retire_at) limit $2::int4) w
where w.held or w.state = 'degraded' or w.shedding or w.retire_at <= now()
union all
(select h.endpoint, h.partition, true
 from postrider.endpoint_health h
 where h.releasing and h.partition = any($1::int2[])
 limit $2::int4))"};

/// One row for each secret, newest first, with the time left to it in
/// milliseconds; or one row without any.
inline constexpr pg::statement endpoints{"endpoints", R"(
select )" POSTRIDER_ENDPOINT_COLUMNS R"(
from postrider.endpoint e
left join postrider.endpoint_secret s on s.endpoint = e.id
left join postrider.endpoint_health h on h.endpoint = e.id
where e.id = any($1::int8[])
order by e.id, s.id desc)"};

inline constexpr pg::statement endpoints_since{"endpoints_since", R"(
select )" POSTRIDER_ENDPOINT_COLUMNS R"(
from (select * from postrider.endpoint
      where version > $1::int8 order by version limit $2::int4) e
left join postrider.endpoint_secret s on s.endpoint = e.id
left join postrider.endpoint_health h on h.endpoint = e.id
order by e.version, s.id desc)"};

/// Not the sequence: a number can be given out long before its row is seen.
inline constexpr pg::statement endpoint_version{
    "endpoint_version",
    "select coalesce(max(version), 0) from postrider.endpoint"};

#undef POSTRIDER_DELIVERY_COLUMNS
#undef POSTRIDER_NO_DELIVERY
#undef POSTRIDER_ENDPOINT_COLUMNS

} // namespace postrider::store::statements
