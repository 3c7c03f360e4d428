#pragma once

#include "store/pg.hpp"

#include <string>
#include <vector>

// The two forms of the outcome write. Both are fenced row by row: the
// partition is still this node's under the epoch of the row's lease, and the
// row is there with the attempts that it had when it was read. Of two writers
// of one row the second waits for the first, looks at the row again and finds
// it gone or changed: it hits nothing and appends nothing.
//
// The plans hold whatever the statistics say. Of an empty table a plain join
// would walk the whole index for each batch, and would go on so when the table
// has filled; `= any(array[…])` leaves only the probe row by row. The fence is
// a hashed list of this node's leases; `is true` keeps it from becoming a join.

namespace postrider::store::statements {

inline std::vector<std::string> settler_settings() {
  return {"set enable_seqscan = off", "set enable_bitmapscan = off",
          "set enable_mergejoin = off",
          "set plan_cache_mode = force_generic_plan", "set jit = off"};
}

/// All succeeded: rows are deleted and their final attempts appended; nothing
/// is updated.
inline constexpr pg::statement settle_succeeded{"settle_succeeded", R"(
with ended as (
  delete from postrider.delivery d
  using unnest($3::int2[], $4::int8[], $5::int8[], $6::int2[], $7::int4[],
               $8::int2[], $9::int4[], $10::int4[], $11::int8[])
          as g(partition, epoch, delivery, attempts, n, status, duration_ms,
               ago_ms, version)
  where ((g.partition, g.epoch) in (select p.id, p.epoch
                                    from postrider.partition p
                                    where p.owner = $1::uuid)) is true
    and d.partition = any(array[g.partition]) and d.id = g.delivery
    and d.attempts = g.attempts
  returning d.id, d.endpoint, d.event, d.partition, d.attempts,
            g.n, g.status, g.duration_ms, g.ago_ms, g.version
), noted as (
  insert into postrider.attempt (
    delivery, endpoint, event, duration_ms, partition, number, status, sent,
    final, outcome, started_at, node, endpoint_version)
  select id, endpoint, event, duration_ms, partition, attempts, status, true,
         true, 'succeeded', now() - ago_ms * interval '1 ms', $2::text, version
  from ended
)
select n from ended)"};

/// Any outcomes. What is neither sent nor ended is a deferral: it moves
/// due_at and leaves no attempt. Who ends without another chance is told of.
/// A row is held only if its endpoint takes nothing, as this snapshot has it:
/// else nobody would look for it should the word of that never be written. Then
/// it is retried, or stays as it is when nothing was sent; whoever writes the
/// word later holds what is queued after it.
inline constexpr pg::statement settle{"settle", R"(
with given as materialized (
  select g.*, case when not g.hold then false
                   else coalesce((select h.intake <> 'queued'
                                  from postrider.endpoint_health h
                                  where h.endpoint = g.target), false)
              end as held
  from unnest($3::int2[], $4::int8[], $5::int8[], $6::int2[], $7::int4[],
              $8::int2[], $9::int4[], $10::int4[], $11::int8[], $12::text[],
              $13::text[], $14::text[], $15::bool[], $16::bool[], $17::int8[],
              $18::text[], $19::text[], $20::int8[], $21::bool[])
         as g(partition, epoch, delivery, attempts, n, status, duration_ms,
              ago_ms, version, outcome, reason, error, ended, sent, wait_ms,
              response, name, target, hold)
  where ((g.partition, g.epoch) in (select p.id, p.epoch
                                    from postrider.partition p
                                    where p.owner = $1::uuid)) is true
), ended as (
  delete from postrider.delivery d using given g
  where g.ended and d.partition = any(array[g.partition])
    and d.id = g.delivery and d.attempts = g.attempts
  returning d.endpoint, d.event, g.*
), later as (
  update postrider.delivery d
  set state = case when g.held then 'held' else 'retrying' end,
      attempts = d.attempts + g.sent::int,
      due_at = case when g.held then 'infinity'
                    else now() + g.wait_ms * interval '1 ms' end
  from given g
  where not g.ended and d.partition = any(array[g.partition])
    and d.id = g.delivery and d.attempts = g.attempts
    and (g.sent or g.held or not g.hold)
  returning d.endpoint, d.event, g.*
), hit as (
  select * from ended union all select * from later
), noted as (
  insert into postrider.attempt (
    delivery, endpoint, event, duration_ms, partition, number, status, sent,
    final, outcome, reason, error, started_at, node, response,
    endpoint_version)
  select delivery, endpoint, event, duration_ms, partition, attempts, status,
         sent, ended, outcome, reason, error,
         now() - ago_ms * interval '1 ms', $2::text, response, version
  from hit where ended or sent
), news as (
  select postrider.tell_exhausted(
           array_agg(delivery), array_agg(name), array_agg(endpoint),
           array_agg(event), array_agg(reason)) as told
  from ended where reason in ('exhausted', 'expired') having count(*) > 0
)
select n from hit where coalesce((select told from news), 0) >= 0)"};

} // namespace postrider::store::statements
