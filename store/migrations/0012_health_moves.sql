-- How the health of an endpoint is moved, by the engine and by operators, and
-- how operators hear of it.

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
