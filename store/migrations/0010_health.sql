-- The health of endpoints (DESIGN 6), what is held for them, and the limits of
-- endpoints and tenants.

alter table postrider.endpoint
  -- Requests a second; null: no limit.
  add column rate double precision check (rate > 0 and rate <= 100000),
  -- Which statuses are tried again, as an expression; null: the usual ones.
  add column retry_statuses text,
  -- The named policy by which its health is judged.
  add column health_policy text not null default 'default';

alter table postrider.tenant
  -- On one node; null: as the node's configuration says.
  add column max_in_flight int check (max_in_flight between 1 and 100000),
  add column rate double precision check (rate > 0 and rate <= 1000000);

create sequence postrider.endpoint_health_revision;

-- An endpoint without a row is healthy and always was.
create table postrider.endpoint_health (
  endpoint  bigint primary key references postrider.endpoint on delete cascade,
  partition smallint not null,
  state     text not null default 'healthy' collate "C"
            check (state in ('healthy', 'degraded', 'suspended', 'disabled')),
  since     timestamptz not null default now(),
  -- Why it is in this state, and who brought it there.
  cause     text not null default '' collate "C",
  origin    text not null default 'engine' collate "C"
            check (origin in ('engine', 'receiver', 'operator')),
  note      text not null default '',
  -- How many trials have failed: the place in the cooldown schedule.
  rung      smallint not null default 0 check (rung >= 0),
  -- From when on the next trial may go out.
  trial_at  timestamptz,
  -- Once for an incident: suspended, degraded and suspended again.
  suspended_since timestamptz,
  -- When a suspended endpoint is given up.
  retire_at timestamptz,
  -- Its receiver asked to be left alone until then (Retry-After).
  not_before timestamptz,
  -- An operator holds it, whatever its state.
  paused    boolean not null default false,
  paused_at timestamptz,
  pause_note text not null default '',
  -- New deliveries are not kept while it is suspended (on_suspended = shed).
  shedding  boolean not null default false,
  -- How many deliveries are held for it; the oldest go first.
  held_max  int not null default 1000000 check (held_max > 0),
  -- Healthy again, and what was held has not all gone out yet.
  releasing boolean not null default false,
  -- An operator lets it go on; its holder has not taken note yet. Until then
  -- what is new is held too, so that nothing overtakes what was held before.
  resuming  boolean not null default false,
  -- Rises with each change, across all endpoints.
  revision  bigint not null default 0,
  -- What becomes of a new delivery.
  intake    text not null collate "C" generated always as (
              case when state = 'disabled'
                     or (state = 'suspended' and shedding) then 'cancelled'
                   when paused or resuming or state <> 'healthy' then 'held'
                   else 'queued' end) stored,
  check ((state = 'suspended') <= (suspended_since is not null)),
  check (state in ('degraded', 'suspended') or trial_at is null)
);
-- What the health clock walks: trials that are due and incidents that end.
create index endpoint_health_clock
  on postrider.endpoint_health (least(trial_at, retire_at))
  where least(trial_at, retire_at) is not null;
create index endpoint_health_releasing
  on postrider.endpoint_health (partition) where releasing;

-- A change of health is a change of the endpoint: every node hears of it by
-- the version, as of any other.
create function postrider.endpoint_health_note() returns trigger
language plpgsql set search_path = postrider, pg_temp as $$
begin
  update endpoint set version = version where id = new.endpoint;
  return null;
end $$;
create trigger endpoint_health_note
  after insert or update on postrider.endpoint_health
  for each row execute function postrider.endpoint_health_note();

-- Its own fields have not changed then.
create or replace function postrider.endpoint_stamp() returns trigger
language plpgsql set search_path = postrider, pg_temp as $$
begin
  -- Held until the writer commits: versions become visible in their order.
  perform pg_advisory_xact_lock(7305452001);
  if tg_op = 'INSERT' or new is distinct from old then
    new.updated_at := now();
  end if;
  new.version := nextval('postrider.endpoint_version');
  return new;
end $$;

-- `held` rows wait for their endpoint, not for a moment: due at infinity, so
-- that no read by time and no read of what is queued meets them.
alter table postrider.delivery drop constraint delivery_state_check;
alter table postrider.delivery drop constraint delivery_check;
alter table postrider.delivery
  add constraint delivery_state_check check (
    case state when 'queued' then due_at is null
               when 'retrying' then due_at is not null and due_at < 'infinity'
               when 'held' then due_at is not null and due_at = 'infinity'
               else false end);
drop index postrider.delivery_due;
create index delivery_due on postrider.delivery (due_at)
  where due_at < 'infinity';
-- On `id + 0` for the same reason as delivery_endpoint.
create index delivery_held on postrider.delivery (endpoint, (id + 0))
  where due_at = 'infinity';

-- The day in which this transaction's attempts are kept.
create function postrider.utc_day() returns date
language sql stable parallel safe as $$
  select (now() at time zone 'UTC')::date
$$;

create function postrider.cancel_reason(endpoint bigint) returns text
language sql stable
set search_path = postrider, pg_temp as $$
  select case when h.state = 'suspended' then 'shed'
              else 'endpoint_disabled' end
  from endpoint_health as h where h.endpoint = $1
$$;

-- Who gets events of these types: for each distinct pair whose tenant exists
-- one row per live endpoint, or one without an endpoint. A part of `ingest`,
-- under its settings; a function of its own because this one is pinned to
-- index walks, whatever the statistics say, and that one to hashing.
drop function postrider.receivers(text[], text[]);
create function postrider.receivers(tenants text[], types text[])
returns table (tenant text, type text, endpoint bigint, partition smallint,
               by_event boolean, max_age interval, intake text)
language plpgsql stable rows 500
set enable_nestloop = on
set enable_hashjoin = off
set enable_mergejoin = off as $$
begin
  return query
    -- Distinct, since an endpoint that matches by several patterns is one.
    select distinct asked.tenant, asked.type, live.id, live.partition,
           live.ordering_key = 'event', live.max_age, live.intake
    from (select pair.tenant, pair.type,
                 unnest(patterns_of(pair.type)) as pattern
          from (select distinct u.tenant collate "C" as tenant,
                                u.type collate "C" as type
                from unnest(tenants, types) as u(tenant, type)) as pair)
      as asked
    join tenant as t on t.id = asked.tenant
    left join (
      select e.id, e.partition, e.ordering_key, e.max_age,
             s.tenant, s.pattern, coalesce(h.intake, 'queued') as intake
      from subscription as s
      join endpoint as e on e.id = s.endpoint and e.deleted_at is null
      left join endpoint_health as h on h.endpoint = e.id)
      as live on live.tenant = asked.tenant and live.pattern = asked.pattern;
end $$;

-- Accepts a batch in the caller's transaction: for each event its status, its
-- id (of a duplicate: the first event's) and its number of deliveries (of a
-- refused command: how many it would have). What is refused leaves no trace and disturbs no neighbour. The arrays are of one
-- length; all but tenants, types, payloads may be null or hold nulls. The
-- caller has checked the form of everything.
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
  millis text := lpad(to_hex(floor(extract(epoch from moment) * 1000)::bigint),
                      12, '0');
  verdicts text[];
  ids uuid[];
  counts int[];
  repeats boolean;
begin
  if to_regclass('event_' || day) is null then
    perform make_partition('event', day::date);
  end if;
  -- For what is cancelled at once.
  if to_regclass(partition_name('attempt', utc_day())) is null then
    perform make_partition('attempt', utc_day());
  end if;

  with item as materialized (
    select o, tenants[o] collate "C" as tenant, types[o] collate "C" as type,
           keys[o] collate "C" as key,
           coalesce(kinds[o], 'event') as kind,
           (millis || '7' || substr(gen_random_uuid()::text, 16))::uuid as id
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

-- The same for one event, in a third of the time: the big statement costs more
-- to start than one event costs to store. Its answers are those of a batch of
-- one.
create or replace function postrider.ingest_one(
  tenant text, type text, kind text, payload bytea, key text,
  fingerprint bytea, content_type text, headers jsonb, ordering_key text,
  correlation_id text, producer text, schema_version text, traceparent text,
  occurred_at timestamptz,
  out status text, out event uuid, out deliveries int)
language plpgsql
set search_path = postrider, pg_temp
set plan_cache_mode = force_generic_plan
set enable_hashjoin = off
set enable_mergejoin = off
set enable_seqscan = off as $$
#variable_conflict use_variable
declare
  before xid8 := pg_current_xact_id(); -- as above, ahead of delivery ids
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
      returning delivery.id)
    select min(queued.id), max(queued.id) into first, last from queued;
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
      select least(first, min(delivery)), greatest(last, max(delivery))
      into first, last from refused;
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


-- Operational events are ordinary events of this tenant; who wants them makes
-- an endpoint in it.
insert into postrider.tenant (id, name)
values ('postrider', 'Operational events')
on conflict do nothing;

-- `about` has ids, names, states and times: no URL, header, payload or secret.
create function postrider.tell_operators(type text, about jsonb) returns void
language plpgsql
set search_path = postrider, pg_temp as $$
begin
  perform ingest_one('postrider', type, 'event',
                     convert_to(about::text, 'UTF8'), null, null,
                     'application/json', null, null, null, 'postrider', '1',
                     null, now());
end $$;

create function postrider.tell_health(
  was text, now_is postrider.endpoint_health, name text) returns void
language plpgsql
set search_path = postrider, pg_temp as $$
begin
  if was = now_is.state then
    return;
  end if;
  perform tell_operators(
    'endpoint.' || case now_is.state when 'healthy' then 'recovered'
                                     else now_is.state end,
    (select jsonb_strip_nulls(jsonb_build_object(
       'endpoint', name, 'tenant', e.tenant, 'uid', e.uid,
       'from', was, 'to', now_is.state, 'cause', now_is.cause,
       'origin', now_is.origin, 'since', now_is.since,
       'suspended_since', now_is.suspended_since,
       'next_trial_at', now_is.trial_at))
     from endpoint as e where e.id = now_is.endpoint));
end $$;

-- Writes the row under a new revision and tells of it.
create function postrider.put_health(
  was text, fresh postrider.endpoint_health, name text) returns bigint
language plpgsql
set search_path = postrider, pg_temp as $$
begin
  insert into endpoint_health as h (
    endpoint, partition, state, since, cause, origin, note, rung, trial_at,
    suspended_since, retire_at, not_before, paused, paused_at, pause_note,
    shedding, held_max, releasing, resuming, revision)
  values (fresh.endpoint, fresh.partition, fresh.state,
          coalesce(fresh.since, now()), coalesce(fresh.cause, ''),
          coalesce(fresh.origin, 'engine'), coalesce(fresh.note, ''),
          coalesce(fresh.rung, 0), fresh.trial_at, fresh.suspended_since,
          fresh.retire_at, fresh.not_before, coalesce(fresh.paused, false),
          fresh.paused_at, coalesce(fresh.pause_note, ''),
          coalesce(fresh.shedding, false),
          coalesce(fresh.held_max, 1000000), coalesce(fresh.releasing, false),
          coalesce(fresh.resuming, false), nextval('endpoint_health_revision'))
  on conflict (endpoint) do update set
    state = excluded.state, since = excluded.since, cause = excluded.cause,
    origin = excluded.origin, note = excluded.note, rung = excluded.rung,
    trial_at = excluded.trial_at,
    suspended_since = excluded.suspended_since,
    retire_at = excluded.retire_at, not_before = excluded.not_before,
    paused = excluded.paused, paused_at = excluded.paused_at,
    pause_note = excluded.pause_note, shedding = excluded.shedding,
    held_max = excluded.held_max, releasing = excluded.releasing,
    resuming = excluded.resuming, revision = excluded.revision
  returning * into fresh;
  perform tell_health(was, fresh, name);
  return fresh.revision;
end $$;

-- The engine's way to move the health of an endpoint: only for the holder of
-- its partition, and only if nobody has changed it since `known`, so that no
-- automation undoes what an operator did. Spans count from now; null for none.
-- Returns the new revision, or null when nothing was moved.
create function postrider.move_health(
  node uuid, epoch bigint, endpoint bigint, known bigint, name text,
  state text, cause text, origin text, rung int, trial_in interval,
  in_incident boolean, retire_after interval, pause_for interval,
  shedding boolean, held_max int, releasing boolean)
returns bigint
language plpgsql
set search_path = postrider, pg_temp as $$
#variable_conflict use_variable
declare
  was postrider.endpoint_health;
  fresh postrider.endpoint_health;
  here smallint;
begin
  -- First the endpoint, which every change of its health locks: two that make
  -- its first row take turns.
  select e.partition into here from endpoint as e
  where e.id = endpoint for no key update;
  -- One that is taken over meanwhile waits for this to end.
  perform from partition as p
  where p.id = here and p.owner = node and p.epoch = epoch for key share;
  if not found then
    return null;
  end if;
  select * into was from endpoint_health as h
  where h.endpoint = endpoint for update;
  if coalesce(was.revision, 0) <> known
     or was.state = 'disabled' and state <> 'disabled' then
    return null;
  end if;
  fresh := was;
  fresh.endpoint := endpoint;
  fresh.partition := here;
  if was.state is distinct from state then
    fresh.since := now();
    fresh.cause := cause;
    fresh.origin := origin;
    fresh.note := '';
  end if;
  fresh.state := state;
  fresh.rung := rung;
  -- Up to a tenth later: endpoints that fell ill together are not tried
  -- together.
  fresh.trial_at := now() + trial_in * (1 + random() / 10);
  fresh.suspended_since :=
    case when in_incident then coalesce(was.suspended_since, now()) end;
  fresh.retire_at := case when state = 'suspended'
                          then fresh.suspended_since + retire_after end;
  fresh.not_before := now() + pause_for;
  fresh.shedding := shedding;
  fresh.held_max := held_max;
  fresh.releasing := releasing;
  fresh.resuming := false;
  return put_health(coalesce(was.state, 'healthy'), fresh, name);
end $$;

-- What an operator does: `pause`, `resume`, `disable` or `enable`. Returns
-- whether there is such an endpoint.
create function postrider.operate_health(
  endpoint bigint, name text, action text, note text) returns boolean
language plpgsql
set search_path = postrider, pg_temp as $$
#variable_conflict use_variable
declare
  was postrider.endpoint_health;
  fresh postrider.endpoint_health;
begin
  select e.partition into fresh.partition from endpoint as e
  where e.id = endpoint and e.deleted_at is null for no key update;
  if not found then
    return false;
  end if;
  select * into was from endpoint_health as h
  where h.endpoint = endpoint for update;
  if found then
    fresh := was;
  else
    fresh.endpoint := endpoint;
    fresh.state := 'healthy';
    fresh.since := now();
    fresh.origin := 'engine';
    fresh.paused := false;
    fresh.releasing := false;
  end if;
  case action
  when 'pause' then
    fresh.paused := true;
    fresh.paused_at := coalesce(fresh.paused_at, now());
    fresh.pause_note := note;
  when 'resume' then
    if not fresh.paused then
      return true;
    end if;
    fresh.paused := false;
    fresh.paused_at := null;
    fresh.pause_note := '';
    fresh.releasing := fresh.releasing or fresh.state = 'healthy';
    fresh.resuming := fresh.state = 'healthy';
  when 'disable', 'enable' then
    fresh.state := case action when 'enable' then 'healthy'
                               else 'disabled' end;
    fresh.since := now();
    fresh.cause := 'operator';
    fresh.origin := 'operator';
    fresh.note := note;
    fresh.rung := 0;
    fresh.trial_at := null;
    fresh.suspended_since := null;
    fresh.retire_at := null;
    fresh.not_before := null;
    fresh.shedding := false;
    -- What is open goes out, or is cancelled.
    fresh.releasing := true;
    fresh.resuming := action = 'enable';
  end case;
  perform put_health(coalesce(was.state, 'healthy'), fresh, name);
  return true;
end $$;

-- Held by nobody's wish: a publish that had seen its endpoint as unhealthy may
-- commit after all that was held has gone out. Marks such endpoints, so that
-- their holders look again; returns how many.
create function postrider.rescue_held() returns int
language plpgsql
set search_path = postrider, pg_temp
set enable_seqscan = off
set enable_bitmapscan = off as $$
declare
  found_some int := 0;
  one record;
begin
  for one in
    -- From one endpoint to the next, over however many rows each has.
    with recursive having_held as (
      (select endpoint from delivery where due_at = 'infinity'
       order by endpoint, (id + 0) limit 1)
      union all
      select (select d.endpoint from delivery as d
              where d.due_at = 'infinity' and d.endpoint > h.endpoint
              order by d.endpoint, (d.id + 0) limit 1)
      from having_held as h where h.endpoint is not null)
    select e.id, e.partition
    from having_held as w
    join endpoint as e on e.id = w.endpoint
    left join endpoint_health as h on h.endpoint = e.id
    where (coalesce(h.intake, 'queued') = 'queued'
           or e.deleted_at is not null or h.state = 'disabled')
      and not coalesce(h.releasing, false)
  loop
    insert into endpoint_health as h (endpoint, partition, releasing, revision)
    values (one.id, one.partition, true, nextval('endpoint_health_revision'))
    on conflict (endpoint) do update
      set releasing = true, revision = excluded.revision;
    found_some := found_some + 1;
  end loop;
  return found_some;
end $$;

-- Held deliveries that have outlived their deadline end as expired, and above
-- the cap of their endpoint the oldest are cancelled. A chunk of each endpoint
-- in one call; returns how many ended.
create function postrider.trim_held(chunk int) returns int
language plpgsql
set search_path = postrider, pg_temp
set enable_seqscan = off
set enable_bitmapscan = off as $$
declare
  one record;
  surplus bigint;
  ended int := 0;
  many int;
begin
  for one in
    -- While a trial is due the oldest may be it, and in flight.
    select h.endpoint, h.held_max,
           coalesce(h.trial_at <= now(), false) as spares_oldest
    from endpoint_health as h
    where h.intake = 'held' or h.state = 'suspended'
    order by h.endpoint
  loop
    -- Ids that lie close together can't be many rows: nothing is counted then.
    surplus := null;
    if (select max(w.id) - min(w.id) >= one.held_max
        from ((select d.id from delivery as d
               where d.endpoint = one.endpoint and d.due_at = 'infinity'
               order by (d.id + 0) limit 1)
              union all
              (select d.id from delivery as d
               where d.endpoint = one.endpoint and d.due_at = 'infinity'
               order by (d.id + 0) desc limit 1)) as w) then
      select d.id into surplus from delivery as d
      where d.endpoint = one.endpoint and d.due_at = 'infinity'
      order by (d.id + 0) desc offset one.held_max limit 1;
    end if;
    with oldest as (
      select d.partition, d.id, d.deadline <= now() as expired
      from delivery as d
      where d.endpoint = one.endpoint and d.due_at = 'infinity'
      order by (d.id + 0) limit chunk for update skip locked
    ), gone as (
      delete from delivery as d using oldest as o
      where d.partition = o.partition and d.id = o.id
        and (not one.spares_oldest or o.id > (select min(id) from oldest))
        and d.due_at = 'infinity' and (o.expired or o.id <= surplus)
      returning d.*, o.expired
    ), noted as (
      insert into attempt (delivery, endpoint, event, duration_ms, partition,
                           number, sent, final, outcome, reason, started_at)
      select id, endpoint, event, 0, partition, attempts, false, true,
             case when expired then 'failed' else 'cancelled' end,
             case when expired then 'expired' else 'evicted' end, now()
      from gone
      returning 1
    )
    select count(*) into many from noted;
    ended := ended + many;
  end loop;
  return ended;
end $$;

-- What ended without success because no attempt or no time was left is told
-- of, if anybody listens; what was itself such news is not.
create function postrider.tell_exhausted(
  deliveries bigint[], names text[], endpoints bigint[], events uuid[],
  reasons text[]) returns int
language plpgsql
set search_path = postrider, pg_temp as $$
declare
  one record;
  told int := 0;
begin
  if not exists (select from subscription where tenant = 'postrider') then
    return 0;
  end if;
  for one in
    select g.*, e.tenant, e.uid, v.type
    from unnest(deliveries, names, endpoints, events, reasons)
           as g(delivery, name, endpoint, event, reason)
    join endpoint as e on e.id = g.endpoint
    left join event as v on v.id = g.event
    where e.tenant <> 'postrider'
    limit 1000
  loop
    perform tell_operators(
      'delivery.exhausted',
      jsonb_strip_nulls(jsonb_build_object(
        'delivery', one.name, 'event', one.event, 'type', one.type,
        'tenant', one.tenant, 'uid', one.uid, 'reason', one.reason)));
    told := told + 1;
  end loop;
  return told;
end $$;

revoke execute on all functions in schema postrider from public;
grant execute on function
  postrider.publish(text, text, bytea, text, text, text, jsonb, text, text,
                    text, text, text, timestamptz),
  postrider.publish(text, text, text, text, text, text, jsonb, text, text,
                    text, text, text, timestamptz),
  postrider.publish_batch(text[], text[], bytea[], text[], text[], text[],
                          jsonb[], text[], text[], text[], text[], text[],
                          timestamptz[])
  to postrider_producer;
