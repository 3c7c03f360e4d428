-- Who crashes a node is to be found, also when it takes the whole process with
-- it: how often in a row a partition was taken from a holder that had not given
-- it back, which delivery that one was handling with care, and the one that
-- several were handling.
alter table postrider.partition
  add column taken_at timestamptz,
  add column crashes int not null default 0,
  add column handling bigint,
  add column suspect bigint,
  add column suspect_crashes int not null default 0;
