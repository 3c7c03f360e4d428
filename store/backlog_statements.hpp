#pragma once

#include "store/pg.hpp"

namespace postrider::store::statements {

/// Reads statistics, the catalog, the health of endpoints, and at most 10 001
/// entries each of the indexes of retries and of what is held. It takes no lock
/// and what it says is old when it is read.
inline constexpr pg::statement backlog_summary{"backlog_summary", R"(
select greatest(pg_stat_get_live_tuples('postrider.delivery'::regclass), 0),
       (select count(*) from (select from postrider.delivery
                              where due_at < 'infinity' limit 10001) r),
       (select greatest(reltuples, 0)::int8 from pg_class
        where oid = 'postrider.delivery_due'::regclass),
       (select due_at from postrider.delivery
        where due_at > $1::timestamptz and due_at < 'infinity'
        order by due_at limit 1),
       now(),
       (select (max(to_date(right(c.relname, 8), 'YYYYMMDD'))
                - (now() at time zone 'UTC')::date)::int4
        from pg_inherits i join pg_class c on c.oid = i.inhrelid
        where i.inhparent = 'postrider.event'::regclass),
       (select (max(to_date(right(c.relname, 8), 'YYYYMMDD'))
                - (now() at time zone 'UTC')::date)::int4
        from pg_inherits i join pg_class c on c.oid = i.inhrelid
        where i.inhparent = 'postrider.attempt'::regclass),
       (select count(*) from (select from postrider.delivery
                              where due_at = 'infinity' limit 10001) h),
       (select greatest(reltuples, 0)::int8 from pg_class
        where oid = 'postrider.delivery_held'::regclass),
       sick.degraded, sick.suspended, sick.disabled, sick.paused,
       (select coalesce(max(pg_current_wal_lsn() - restart_lsn), 0)::int8
        from pg_replication_slots)
from (select count(*) filter (where state = 'degraded') as degraded,
             count(*) filter (where state = 'suspended') as suspended,
             count(*) filter (where state = 'disabled') as disabled,
             count(*) filter (where paused) as paused
      from postrider.endpoint_health) as sick)"};

/// From each partition its first rows behind an id: the first queued one of
/// them, the last of them, and whether there may be more. A lateral join from
/// an array, as `read_lagging`.
inline constexpr pg::statement backlog_heads{"backlog_heads", R"(
select w.partition,
       (array_agg(d.id order by d.id) filter (where d.due_at is null))[1],
       (array_agg(d.event order by d.id) filter (where d.due_at is null))[1],
       max(d.id), count(*) = $3::int4
from unnest($1::int2[], $2::int8[]) as w(partition, after)
cross join lateral (
  select q.id, q.event, q.due_at from postrider.delivery q
  where q.partition = w.partition and q.id > w.after
  order by q.id limit $3::int4) d
group by w.partition)"};

} // namespace postrider::store::statements
