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

revoke execute on all functions in schema postrider from public;
