-- What a node is for, what it says of itself, and what an operator wants of it.
-- Others count it for the fair share only while it works, is not of role `api`
-- and is not being drained.

alter table postrider.node
  add column role text not null default 'all'
    check (role in ('all', 'api', 'worker')),
  -- working; leaving: it is being stopped; stalled: something in it stands
  -- still, and its leases run out.
  add column standing text not null default 'working'
    check (standing in ('working', 'leaving', 'stalled')),
  -- Wanted by an operator: it gives its leases back and takes none.
  add column drain boolean not null default false,
  add column lease_ms int8 not null default 20000,
  -- Its wall clock less the database's.
  add column clock_ahead_ms int8 not null default 0;

-- A program that knows fewer migrations than the database has works with it as
-- long as each of those it does not know only adds to the schema. One that does
-- more raises this for itself: programs that know fewer than `least` then
-- refuse to start.
alter table postrider.migration add column least int not null default 0;
