-- The tables of the engine. Every unique key of a hot table starts with the
-- column by which the table could be distributed (DESIGN 10).

-- Identifiers compare by their bytes: collate "C".

create schema if not exists postrider;

create table postrider.tenant (
  id         text collate "C" primary key check (id ~ '^[A-Za-z0-9_-]{1,128}$'),
  name       text not null default '',
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);

-- Endpoints change rarely and are read by version: the trigger below makes
-- versions commit in their order, so that "everything above version n" never
-- skips a late commit.
create table postrider.endpoint (
  id              bigint generated always as identity primary key,
  public_id       uuid not null unique,
  tenant          text collate "C" not null references postrider.tenant,
  uid             text collate "C" check (uid ~ '^[A-Za-z0-9_-]{1,128}$'),
  version         bigint not null default 0,
  partition       smallint not null,
  url             text not null,
  description     text not null default '',
  ordering        text not null default 'fifo'
                  check (ordering in ('none', 'fifo')),
  ordering_key    text not null default 'endpoint'
                  check (ordering_key in ('endpoint', 'event')),
  retry           text not null default 'default',
  -- Copied from the policy, so that a publish can set the deadline.
  max_age         interval not null default '96 h' check (max_age > '0'),
  headers         jsonb not null default '[]'
                  check (jsonb_typeof(headers) = 'array'),
  max_in_flight   int not null default 32
                  check (max_in_flight between 1 and 1000),
  timeout_ms      int not null default 15000
                  check (timeout_ms between 1000 and 60000),
  connect_timeout_ms int not null default 3000
                  check (connect_timeout_ms between 100 and 60000),
  created_at      timestamptz not null default now(),
  updated_at      timestamptz not null default now(),
  deleted_at      timestamptz
);
create unique index endpoint_uid on postrider.endpoint (tenant, uid)
  where deleted_at is null;
create index endpoint_tenant on postrider.endpoint (tenant, id)
  where deleted_at is null;
create index endpoint_by_version on postrider.endpoint (version);

create sequence postrider.endpoint_version;

create function postrider.endpoint_stamp() returns trigger
language plpgsql set search_path = postrider, pg_temp as $$
begin
  -- Held until the writer commits: versions become visible in their order.
  perform pg_advisory_xact_lock(7305452001);
  new.version := nextval('postrider.endpoint_version');
  new.updated_at := now();
  return new;
end $$;
create trigger endpoint_stamp before insert or update on postrider.endpoint
  for each row execute function postrider.endpoint_stamp();

-- Sealed with the key that storage.secret_key_file names; newest first is
-- highest id first. A secret lives until expires_at (null: for ever).
create table postrider.endpoint_secret (
  id         bigint generated always as identity primary key,
  endpoint   bigint not null references postrider.endpoint on delete cascade,
  sealed     bytea not null,
  created_at timestamptz not null default now(),
  expires_at timestamptz
);
create index endpoint_secret_endpoint on postrider.endpoint_secret (endpoint);

-- Which types an endpoint wants: exact, `order.*`, or `*`. An event looks its
-- few possible patterns up by equality.
create table postrider.subscription (
  tenant    text collate "C" not null,
  pattern   text collate "C" not null,
  endpoint  bigint not null references postrider.endpoint on delete cascade,
  primary key (tenant, pattern, endpoint)
);
create index subscription_endpoint on postrider.subscription (endpoint);

-- Immutable. Partitioned by the time inside its UUIDv7, one day each, so that
-- an id finds its partition and retention drops whole days.
create table postrider.event (
  id             uuid not null primary key,
  tenant         text collate "C" not null,
  kind           text collate "C" not null
                 check (kind in ('event', 'command')),
  type           text collate "C" not null,
  key            text collate "C",
  content_type   text not null,
  headers        jsonb,
  ordering_key   text,
  correlation_id text,
  producer       text,
  schema_version text,
  traceparent    text,
  occurred_at    timestamptz,
  -- The ids of its first deliveries lie in this range, among others'.
  first_delivery bigint,
  last_delivery  bigint,
  deliveries     int not null,
  payload        bytea not null
) partition by range (id);
-- Bodies are sent as they came and mostly small: spend no time on compression
-- attempts for bodies that stay in line.
alter table postrider.event alter column payload set storage external;

-- Idempotent ingest: concurrent repeats collide here and the loser answers
-- with the winner's event (S3.18, S3.19).
create table postrider.event_key (
  tenant      text collate "C" not null,
  key         text collate "C" not null,
  event       uuid not null,
  fingerprint bytea not null,
  created_at  timestamptz not null default now(),
  primary key (tenant, key)
);

-- The hot queue: open deliveries only. Inserted once and deleted once on the
-- success path; due_at is set only while a retry waits, so the partial index
-- costs nothing there.
create sequence postrider.delivery_id;
create table postrider.delivery (
  id        bigint not null default nextval('postrider.delivery_id'),
  endpoint  bigint not null,
  stream    bigint not null,
  deadline  timestamptz not null,
  due_at    timestamptz,
  event     uuid not null,
  size      int not null,
  partition smallint not null,
  attempts  smallint not null default 0,
  -- How many attempts it may make in all; null: as its endpoint's policy says.
  max_attempts smallint,
  state     text not null default 'queued' collate "C"
            check (state in ('queued', 'retrying')),
  primary key (partition, id),
  check ((state = 'retrying') = (due_at is not null))
) with (fillfactor = 85, autovacuum_vacuum_scale_factor = 0.02,
        autovacuum_vacuum_threshold = 2000, autovacuum_vacuum_cost_delay = 0,
        autovacuum_analyze_scale_factor = 0.2,
        autovacuum_vacuum_insert_scale_factor = 0.5);
-- Without the partition, which the endpoint determines. And on `id + 0`, which
-- no condition on `id` fits: else the planner takes it for the walk by
-- (partition, id) when it knows the table as empty, and a prepared plan stays.
create index delivery_endpoint on postrider.delivery (endpoint, (id + 0));
-- Led by the due time, not the partition: a node's partitions are walked in
-- due order at once, and a read stops at its limit however much is due.
create index delivery_due on postrider.delivery (due_at)
  where due_at is not null;
alter sequence postrider.delivery_id owned by postrider.delivery.id;

-- Append-only: one row for each attempt; the one that ends a delivery is
-- final and carries its terminal state and reason. Dropped whole by day.
create table postrider.attempt (
  at          timestamptz not null default now(),
  delivery    bigint not null,
  endpoint    bigint not null,
  event       uuid not null,
  duration_ms int not null,
  partition   smallint not null,
  number      smallint not null,
  status      smallint,
  sent        boolean not null,
  final       boolean not null,
  outcome     text not null collate "C"
              check (outcome in ('succeeded', 'failed', 'cancelled')),
  reason      text collate "C",
  error       text collate "C",
  started_at  timestamptz not null,
  node        text,
  response    text
) partition by range (at);
create index attempt_delivery on postrider.attempt (delivery);
create index attempt_endpoint on postrider.attempt (endpoint, delivery)
  where final;
-- Dead letters: few, and looked for among very many.
create index attempt_unsuccessful on postrider.attempt (delivery)
  where final and outcome <> 'succeeded';

-- Ownership. Few rows, updated in place each heartbeat.
create table postrider.partition (
  id         smallint primary key,
  owner      uuid,
  epoch      bigint not null default 0,
  expires_at timestamptz not null default '-infinity'
) with (fillfactor = 10, autovacuum_vacuum_scale_factor = 0,
        autovacuum_vacuum_threshold = 500, autovacuum_vacuum_cost_delay = 0);
insert into postrider.partition (id) select generate_series(0, 255);

create table postrider.node (
  id           uuid primary key,
  name         text not null,
  started_at   timestamptz not null default now(),
  heartbeat_at timestamptz not null default now()
) with (fillfactor = 20, autovacuum_vacuum_scale_factor = 0,
        autovacuum_vacuum_threshold = 200);
