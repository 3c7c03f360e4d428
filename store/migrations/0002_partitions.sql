-- Day partitions of `event` and `attempt`, in UTC, called event_20261129.
-- There is no default partition: rows in one would have to be moved before a
-- day could be attached. The engine makes days ahead; should it have been away
-- for longer, `ingest` makes the day it needs, so that producers go on.

-- The lowest UUIDv7 of a moment.
create function postrider.uuid_at(moment timestamptz) returns uuid
language sql immutable strict parallel safe as $$
  select (lpad(to_hex(floor(extract(epoch from moment) * 1000)::bigint),
               12, '0') || repeat('0', 20))::uuid
$$;

create function postrider.partition_name(parent text, day date) returns text
language sql immutable strict parallel safe as $$
  select format('%s_%s', parent, to_char(day, 'YYYYMMDD'))
$$;

-- Whether it was made now. A table made aside and then attached leaves reads
-- and writes of the parent running; `create … partition of` would not.
create function postrider.make_partition(parent text, day date)
returns boolean
language plpgsql set search_path = postrider, pg_temp as $$
declare
  child text := partition_name(parent, day);
  here constant regnamespace := 'postrider';
  start timestamptz := day::timestamp at time zone 'UTC';
  stop timestamptz := (day + 1)::timestamp at time zone 'UTC';
begin
  if parent not in ('event', 'attempt') then
    raise '% has no time partitions', parent
      using errcode = 'invalid_parameter_value';
  end if;
  -- Two makers of one day take turns; the second finds it.
  perform pg_advisory_xact_lock(7305452003);
  if exists (select from pg_class
             where relname = child and relnamespace = here) then
    return false;
  end if;
  -- Nothing is ever updated or deleted here and the whole is dropped before
  -- its ids grow old, so vacuuming after inserts would be wasted reading.
  execute format(
    'create table %I (like %I including all) with (
       autovacuum_vacuum_insert_threshold = -1,
       toast.autovacuum_vacuum_insert_threshold = -1)', child, parent);
  if parent = 'event' then
    execute format('alter table %I attach partition %I
                    for values from (%L) to (%L)',
                   parent, child, uuid_at(start), uuid_at(stop));
  else
    execute format('alter table %I attach partition %I
                    for values from (%L) to (%L)',
                   parent, child, start, stop);
  end if;
  return true;
exception
  -- Made by another while our snapshot is older (repeatable read).
  when duplicate_table then return false;
end $$;

-- From yesterday to `ahead` days from now; returns how many were made.
create function postrider.make_partitions(ahead int) returns int
language plpgsql set search_path = postrider, pg_temp as $$
declare
  today date := (now() at time zone 'UTC')::date;
  made int := 0;
  parent text;
  day date;
begin
  if ahead is null or ahead not between 0 and 366 then
    raise 'ahead: % is not between 0 and 366 days', ahead
      using errcode = 'invalid_parameter_value';
  end if;
  foreach parent in array array['event', 'attempt'] loop
    for shift in -1 .. ahead loop
      day := today + shift;
      if to_regclass(partition_name(parent, day)) is null
         and make_partition(parent, day) then
        made := made + 1;
      end if;
    end loop;
  end loop;
  return made;
end $$;

revoke execute on all functions in schema postrider from public;
