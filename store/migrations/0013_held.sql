-- The upkeep of what is held.

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
      order by (d.id + 0) limit chunk
    ), chosen as (
      -- What somebody has locked is being settled.
      select d.partition, d.id, o.expired
      from oldest as o
      join delivery as d on d.partition = o.partition and d.id = o.id
      where (o.expired or o.id <= surplus) and d.due_at = 'infinity'
        and (not one.spares_oldest or o.id > (select min(id) from oldest))
      for update of d skip locked
    ), gone as (
      delete from delivery as d using chosen as c
      where d.partition = c.partition and d.id = c.id
      returning d.*, c.expired
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

revoke execute on all functions in schema postrider from public;
