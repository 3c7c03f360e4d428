#pragma once

#include "store/health_rows.hpp"
#include "store/pg.hpp"

#include <string>
#include <vector>

// How the health of endpoints and the deliveries of a sick one are changed.
// Each statement finds its rows by the index on (endpoint, id + 0) and touches
// a chunk of them.

namespace postrider::store::statements {

inline std::vector<std::string> health_settings() {
  return {"set enable_seqscan = off",
          "set enable_bitmapscan = off",
          "set enable_mergejoin = off",
          "set enable_hashjoin = off",
          "set plan_cache_mode = force_generic_plan",
          "set jit = off"};
}

/// One row, null where nothing was moved.
inline constexpr pg::statement move_health{"move_health", R"(
select postrider.move_health(
  $1::uuid, $2::int8, $3::int8, $4::int8, $5::text, $6::text, $7::text,
  $8::text, $9::int4, $10::int8 * interval '1 ms', $11::bool,
  $12::int8 * interval '1 ms', $13::int8 * interval '1 ms', $14::bool,
  $15::int4, $16::bool))"};

inline constexpr pg::statement health_of{
    "health_of",
    "select " POSTRIDER_HEALTH_COLUMNS
    " from postrider.endpoint_health h where h.endpoint = $1::int8"};

/// The highest id of the chunk, how many rows it had, how many were changed.
/// Rows that another statement has locked are left: it settles them. Nobody
/// waits here with a lock, so that a batch of outcomes never waits in a circle.
inline constexpr pg::statement hold_chunk{"hold_chunk", R"(
with slice as materialized (
  select d.partition, d.id from postrider.delivery d
  where d.endpoint = $2::int8 and d.id + 0 > $5::int8
    and (d.due_at is null or d.due_at <= now())
  order by d.id + 0 limit $6::int4 for no key update skip locked
), changed as (
  update postrider.delivery d set state = 'held', due_at = 'infinity'
  from slice
  where d.partition = any(array[slice.partition]) and d.id = slice.id
    and d.due_at is distinct from 'infinity'
    and exists (select from postrider.partition p
                where p.id = $3::int2 and p.owner = $1::uuid
                  and p.epoch = $4::int8)
  returning 1)
select max(id), count(*)::int4, (select count(*) from changed)::int4 from slice)"};

inline constexpr pg::statement cancel_chunk{"cancel_chunk", R"(
with slice as materialized (
  select d.partition, d.id from postrider.delivery d
  where d.endpoint = $2::int8 and d.id + 0 > $5::int8
    and d.id <> all($7::int8[])
  order by d.id + 0 limit $6::int4 for update skip locked
), gone as (
  delete from postrider.delivery d using slice
  where d.partition = any(array[slice.partition]) and d.id = slice.id
    and exists (select from postrider.partition p
                where p.id = $3::int2 and p.owner = $1::uuid
                  and p.epoch = $4::int8)
  returning d.*
), noted as (
  insert into postrider.attempt (
    delivery, endpoint, event, duration_ms, partition, number, sent, final,
    outcome, reason, started_at)
  select id, endpoint, event, 0, partition, attempts, false, true,
         'cancelled', 'endpoint_disabled', now()
  from gone
  returning 1)
select max(id), count(*)::int4, (select count(*) from noted)::int4 from slice)"};

inline constexpr pg::statement rescue_held{"rescue_held",
                                           "select postrider.rescue_held()"};
inline constexpr pg::statement trim_held{
    "trim_held", "select postrider.trim_held($1::int4)"};
inline constexpr pg::statement tenant_limits{"tenant_limits", R"(
select id, max_in_flight, rate from postrider.tenant
where max_in_flight is not null or rate is not null)"};

} // namespace postrider::store::statements
