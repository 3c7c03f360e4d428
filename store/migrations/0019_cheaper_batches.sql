-- A batch costs less: 35.5 us an event became 29.8 by its ids and the day, and
-- the receivers of a type 9.6 us instead of 13.5 (500 events of 256 types).
--
-- The ids of its events rise: the index on them is then written at its end and
-- in one place, not all over the pages of this millisecond. Their random half
-- comes from one draw and a hash, as each draw is a system call. The day is
-- looked up without a function that is planned at each call. And tenants are
-- looked up once for each type, not once for each pattern of it.

-- Who gets events of these types: for each distinct pair whose tenant exists
-- one row without an endpoint, and one for each live endpoint. A part of
-- `ingest`, under its settings; a function of its own because this one is
-- pinned to index walks, whatever the statistics say, and that one to hashing.
create or replace function postrider.receivers(tenants text[], types text[])
returns table (tenant text, type text, endpoint bigint, partition smallint,
               by_event boolean, max_age interval, intake text)
language plpgsql stable rows 500
set enable_nestloop = on
set enable_hashjoin = off
set enable_mergejoin = off as $$
#variable_conflict use_column
begin
  return query
    with pair as materialized (
      select distinct t.id as tenant, u.type collate "C" as type
      from unnest(tenants, types) as u(tenant, type)
      join tenant as t on t.id = u.tenant collate "C")
    select pair.tenant, pair.type, null::bigint, null::smallint, null::boolean,
           null::interval, null::text
    from pair
    union all
    -- Distinct, since an endpoint that matches by several patterns is one.
    select distinct asked.tenant, asked.type, e.id, e.partition,
           e.ordering_key = 'event', e.max_age, coalesce(h.intake, 'queued')
    from (select pair.tenant, pair.type,
                 unnest(patterns_of(pair.type)) as pattern
          from pair) as asked
    join subscription as s
      on s.tenant = asked.tenant and s.pattern = asked.pattern
    join endpoint as e on e.id = s.endpoint and e.deleted_at is null
    left join endpoint_health as h on h.endpoint = e.id;
end $$;

-- Accepts a batch in the caller's transaction: for each event its status, its
-- id (of a duplicate: the first event's) and its number of deliveries (of a
-- refused command: how many it would have). What is refused leaves no trace
-- and disturbs no neighbour. The arrays are of one length; all but tenants,
-- types, payloads may be null or hold nulls. The caller has checked the form of
-- everything.
--
-- One statement does the work for all, so that events, keys and deliveries
-- stand or fall together and the cost per event is that of its rows.
create or replace function postrider.ingest(
  tenants text[], types text[], kinds text[], payloads bytea[], keys text[],
  fingerprints bytea[], content_types text[], headers jsonb[],
  ordering_keys text[], correlation_ids text[], producers text[],
  schema_versions text[], traceparents text[], occurred_ats timestamptz[])
returns table (ordinal int, status text, event uuid, deliveries int)
language plpgsql rows 500
set search_path = postrider, pg_temp
set plan_cache_mode = force_generic_plan
set enable_nestloop = off
set enable_mergejoin = off
set enable_seqscan = off
set jit = off as $$
#variable_conflict use_column
declare
  -- The reader takes a delivery for late only if its transaction was running,
  -- with an id, when a higher delivery id was seen: so the transaction's id
  -- comes first, then the deliveries' ids.
  before xid8 := pg_current_xact_id();
  n int := cardinality(types);
  moment timestamptz := clock_timestamp();
  day text := to_char(moment at time zone 'UTC', 'YYYYMMDD');
  today text := to_char(now() at time zone 'UTC', 'YYYYMMDD');
  millis text := lpad(to_hex(floor(extract(epoch from moment) * 1000)::bigint),
                      12, '0');
  seed bytea := uuid_send(gen_random_uuid());
  verdicts text[];
  ids uuid[];
  counts int[];
  repeats boolean;
begin
  if to_regclass('event_' || day) is null then
    perform make_partition('event', day::date);
  end if;
  -- For what is cancelled at once.
  if to_regclass('attempt_' || today) is null then
    perform make_partition('attempt', today::date);
  end if;

  with item as materialized (
    select o, tenants[o] collate "C" as tenant, types[o] collate "C" as type,
           keys[o] collate "C" as key,
           coalesce(kinds[o], 'event') as kind,
           (millis || '7' || substr(to_hex(4096 + (o & 4095)), 2) || '8'
            || substr(encode(sha256(seed || int4send(o)), 'hex'), 1, 15))::uuid
             as id
    from generate_series(1, n) as o
  ), route as materialized (
    select * from receivers(tenants, types)
  ), reach as (
    select tenant, type, count(endpoint)::int as receivers
    from route group by tenant, type
  ), judged as materialized (
    select item.*, receivers,
           case when receivers is null then 'unknown_tenant'
                when kind = 'command' and receivers <> 1
                then 'not_one_receiver'
                else 'accepted' end as verdict
    from item left join reach using (tenant, type)
  ), keyed as (
    -- In one order for everybody: two batches with the same keys wait for
    -- each other but never in a circle.
    insert into event_key (tenant, key, event, fingerprint)
    select distinct on (tenant, key) tenant, key, id,
           coalesce(fingerprints[o],
                    fingerprint(type, kind, content_types[o],
                                ordering_keys[o], headers[o], payloads[o]))
    from judged
    where key is not null and verdict = 'accepted'
    order by tenant, key, o
    on conflict do nothing
    returning event
  ), accepted as materialized (
    select judged.*
    from judged left join keyed on keyed.event = judged.id
    where verdict = 'accepted' and (key is null or keyed.event is not null)
  ), queued as (
    -- Ids are drawn in the order of the batch: it is the order of sending.
    insert into delivery (endpoint, stream, deadline, event, size, partition,
                          state, due_at)
    select endpoint,
           case when by_event and ordering_keys[o] is not null
                then hashtextextended(ordering_keys[o], 0) else 0 end,
           now() + max_age, accepted.id, octet_length(payloads[o]), partition,
           intake, case when intake = 'held' then 'infinity'::timestamptz end
    from accepted join route using (tenant, type)
    where endpoint is not null and intake <> 'cancelled'
    order by o, endpoint
    returning id, event
  ), refused as (
    insert into attempt (delivery, endpoint, event, duration_ms, partition,
                         number, sent, final, outcome, reason, started_at)
    select nextval('delivery_id'), endpoint, accepted.id, 0, partition, 0,
           false, true, 'cancelled', cancel_reason(endpoint), now()
    from accepted join route using (tenant, type)
    where endpoint is not null and intake = 'cancelled'
    returning delivery as id, event
  ), span as (
    select event, min(id) as first, max(id) as last, count(*)::int as size
    from (table queued union all table refused) as made group by event
  ), stored as (
    insert into event (
      id, tenant, kind, type, key, content_type, headers, ordering_key,
      correlation_id, producer, schema_version, traceparent, occurred_at,
      first_delivery, last_delivery, deliveries, payload)
    select id, tenant, kind, type, key,
           coalesce(content_types[o], 'application/json'), headers[o],
           ordering_keys[o], correlation_ids[o], producers[o],
           schema_versions[o], traceparents[o], occurred_ats[o],
           first, last, coalesce(size, 0), payloads[o]
    from accepted left join span on span.event = accepted.id
    returning id, deliveries
  )
  select array_agg(case when verdict = 'accepted' and stored.id is null
                        then 'repeat' else verdict end order by o),
         array_agg(stored.id order by o),
         array_agg(coalesce(stored.deliveries, receivers, 0) order by o),
         coalesce(bool_or(stored.id is null and key is not null), false)
  into verdicts, ids, counts, repeats
  from judged left join stored on stored.id = judged.id;

  if not repeats then
    return query
      select o, verdicts[o], ids[o], counts[o]
      from generate_series(1, n) as o;
    return;
  end if;

  -- A new statement sees the winners of the keys, of this batch and of others
  -- that have committed meanwhile. A key decides before anything else: a
  -- command is not refused for a receiver that has gone since it was accepted.
  return query
    select o,
           case when winner.event is null and verdicts[o] = 'repeat'
                -- The key was purged between the two statements.
                then run_again()
                when winner.event is null then verdicts[o]
                when winner.fingerprint
                     = coalesce(fingerprints[o],
                                fingerprint(types[o], kinds[o],
                                            content_types[o],
                                            ordering_keys[o], headers[o],
                                            payloads[o]))
                then 'duplicate' else 'key_conflict' end,
           coalesce(winner.event, ids[o]),
           coalesce(first.deliveries, counts[o])
    from generate_series(1, n) as o
    left join lateral (
      select k.event, k.fingerprint from event_key as k
      where ids[o] is null and k.tenant = tenants[o] and k.key = keys[o]
        -- Of two in this batch the earlier one was there first.
        and coalesce(array_position(ids, k.event), 0) < o
      offset 0) as winner on true
    left join lateral (
      select e.deliveries from event as e where e.id = winner.event
      offset 0) as first on true;
end $$;

revoke execute on all functions in schema postrider from public;
