-- What was committed through a node is handed to its reader without being read
-- (DESIGN 4.8): `ingest` and `ingest_one` tell on demand which deliveries they
-- made. Both are what they were beside that.

drop function postrider.ingest(
  text[], text[], text[], bytea[], text[], bytea[], text[], jsonb[], text[],
  text[], text[], text[], text[], timestamptz[]);
drop function postrider.ingest_one(
  text, text, text, bytea, text, bytea, text, jsonb, text, text, text, text,
  text, timestamptz);

create function postrider.millis_left(until timestamptz) returns bigint
language sql volatile as $$
  select (extract(epoch from until - clock_timestamp()) * 1000)::bigint
$$;

-- One event, as `ingest` takes many, and lighter. With `tell`, `made` has a row
-- for each delivery: 1, its id, endpoint, partition, stream and the
-- milliseconds to its deadline. The endpoint is 0 of one that is not to be sent
-- now: it is held, or was cancelled at once.
-- The same for one event, in a third of the time: the big statement costs more
-- to start than one event costs to store. Its answers are those of a batch of
-- one.
create function postrider.ingest_one(
  tenant text, type text, kind text, payload bytea, key text,
  fingerprint bytea, content_type text, headers jsonb, ordering_key text,
  correlation_id text, producer text, schema_version text, traceparent text,
  occurred_at timestamptz, tell boolean default false,
  out status text, out event uuid, out deliveries int, out made bigint[])
language plpgsql
set search_path = postrider, pg_temp
set plan_cache_mode = force_generic_plan
set enable_hashjoin = off
set enable_mergejoin = off
set enable_seqscan = off as $$
#variable_conflict use_variable
declare
  before xid8 := pg_current_xact_id(); -- as below, ahead of delivery ids
  moment timestamptz := clock_timestamp();
  day text := to_char(moment at time zone 'UTC', 'YYYYMMDD');
  id uuid := (lpad(to_hex(floor(extract(epoch from moment) * 1000)::bigint),
                   12, '0')
              || '7' || substr(gen_random_uuid()::text, 16))::uuid;
  endpoints bigint[];
  partitions smallint[];
  by_event boolean[];
  ages interval[];
  intakes text[];
  first bigint;
  last bigint;
  known bytea;
  won boolean := false;
begin
  if to_regclass('event_' || day) is null then
    perform make_partition('event', day::date);
  end if;
  kind := coalesce(kind, 'event');
  content_type := coalesce(content_type, 'application/json');
  if key is not null and fingerprint is null then
    fingerprint := fingerprint(type, kind, content_type, ordering_key,
                               headers, payload);
  end if;

  -- Once for all that follows, so that a command has the one receiver that it
  -- was counted to have.
  select array_agg(r.id), array_agg(r.partition), array_agg(r.by_event),
         array_agg(r.max_age), array_agg(r.intake)
  into endpoints, partitions, by_event, ages, intakes
  from (select distinct e.id, e.partition,
               e.ordering_key = 'event' as by_event, e.max_age,
               coalesce(h.intake, 'queued') as intake
        from unnest(patterns_of(type)) as wanted(pattern)
        join subscription as s
          on s.tenant = tenant and s.pattern = wanted.pattern
        join endpoint as e on e.id = s.endpoint and e.deleted_at is null
        left join endpoint_health as h on h.endpoint = e.id
        order by e.id) as r;
  deliveries := coalesce(cardinality(endpoints), 0);
  if deliveries = 0
     and not exists (select from tenant as t where t.id = tenant) then
    status := 'unknown_tenant';
  elsif kind = 'command' and deliveries <> 1 then
    status := 'not_one_receiver';
  elsif key is not null then
    insert into event_key (tenant, key, event, fingerprint)
    values (tenant, key, id, fingerprint) on conflict do nothing;
    won := found;
  else
    won := true;
  end if;

  if not won then
    select k.event, k.fingerprint into event, known
    from event_key as k where k.tenant = tenant and k.key = key;
    if event is not null then
      status := case when known = fingerprint
                     then 'duplicate' else 'key_conflict' end;
      select e.deliveries into deliveries from event as e where e.id = event;
      deliveries := coalesce(deliveries, 0);
    elsif status is null then
      status := run_again(); -- the key was purged meanwhile
    end if;
    return;
  end if;

  if deliveries > 0 then
    with queued as (
      insert into delivery (endpoint, stream, deadline, event, size, partition,
                            state, due_at)
      select r.endpoint,
             case when r.by_event and ordering_key is not null
                  then hashtextextended(ordering_key, 0) else 0 end,
             now() + r.max_age, id, octet_length(payload), r.partition,
             r.intake,
             case when r.intake = 'held' then 'infinity'::timestamptz end
      from unnest(endpoints, partitions, by_event, ages, intakes)
        as r(endpoint, partition, by_event, max_age, intake)
      where r.intake <> 'cancelled'
      returning delivery.id, delivery.endpoint, delivery.partition,
                delivery.stream, delivery.state, delivery.deadline)
    select min(q.id), max(q.id),
           case when tell and count(*) <= 1024
                then array_agg(array[1, q.id,
                                     case q.state when 'queued' then q.endpoint
                                          else 0 end,
                                     q.partition, q.stream,
                                     millis_left(q.deadline)]) end
    into first, last, made from queued as q;
    if 'cancelled' = any (intakes) then
      if to_regclass(partition_name('attempt', utc_day())) is null then
        perform make_partition('attempt', utc_day());
      end if;
      with refused as (
        insert into attempt (delivery, endpoint, event, duration_ms, partition,
                             number, sent, final, outcome, reason, started_at)
        select nextval('delivery_id'), r.endpoint, id, 0, r.partition, 0,
               false, true, 'cancelled', cancel_reason(r.endpoint), now()
        from unnest(endpoints, partitions, intakes)
          as r(endpoint, partition, intake)
        where r.intake = 'cancelled'
        returning attempt.delivery)
      select least(first, min(delivery)), greatest(last, max(delivery)),
             case when tell
                  then made || array_agg(array[1, delivery, 0, 0, 0, 0]) end
      into first, last, made from refused;
    end if;
  end if;
  insert into event (
    id, tenant, kind, type, key, content_type, headers, ordering_key,
    correlation_id, producer, schema_version, traceparent, occurred_at,
    first_delivery, last_delivery, deliveries, payload)
  values (id, tenant, kind, type, key, content_type, headers, ordering_key,
          correlation_id, producer, schema_version, traceparent, occurred_at,
          first, last, deliveries, payload);
  status := 'accepted';
  event := id;
end $$;

-- Accepts a batch in the caller's transaction: for each event its status, its
-- id (of a duplicate: the first event's) and its number of deliveries (of a
-- refused command: how many it would have). What is refused leaves no trace
-- and disturbs no neighbour. The arrays are of one length; all but tenants,
-- types, payloads may be null or hold nulls. The caller has checked the form of
-- everything. With `tell` the first row tells the deliveries that were made, if
-- they are at most 1024: the event's place in the batch, and what `ingest_one`
-- tells of them.
--
-- One statement does the work for all, so that events, keys and deliveries
-- stand or fall together and the cost per event is that of its rows.
create function postrider.ingest(
  tenants text[], types text[], kinds text[], payloads bytea[], keys text[],
  fingerprints bytea[], content_types text[], headers jsonb[],
  ordering_keys text[], correlation_ids text[], producers text[],
  schema_versions text[], traceparents text[], occurred_ats timestamptz[],
  tell boolean default false)
returns table (ordinal int, status text, event uuid, deliveries int,
               made bigint[])
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
  told bigint[];
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
    returning id, event,
              case state when 'queued' then endpoint else 0 end as whom,
              partition, stream, deadline
  ), refused as (
    insert into attempt (delivery, endpoint, event, duration_ms, partition,
                         number, sent, final, outcome, reason, started_at)
    select nextval('delivery_id'), endpoint, accepted.id, 0, partition, 0,
           false, true, 'cancelled', cancel_reason(endpoint), now()
    from accepted join route using (tenant, type)
    where endpoint is not null and intake = 'cancelled'
    returning delivery as id, event, 0::bigint, 0::smallint, 0::bigint, now()
  ), fresh as materialized (
    table queued union all table refused
  ), span as (
    select event, min(id) as first, max(id) as last, count(*)::int as size
    from fresh group by event
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
         coalesce(bool_or(stored.id is null and key is not null), false),
         (select array_agg(array[o, fresh.id, whom, partition, stream,
                                 millis_left(deadline)])
          from fresh join accepted on accepted.id = fresh.event
          where tell and (select count(*) from fresh) <= 1024)
  into verdicts, ids, counts, repeats, told
  from judged left join stored on stored.id = judged.id;

  if not repeats then
    return query
      select o, verdicts[o], ids[o], counts[o], case o when 1 then told end
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
           coalesce(first.deliveries, counts[o]), case o when 1 then told end
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
