-- Producers that set `postrider.notify` to `on` (for a session, a role or the
-- database) tell the nodes of what they commit, which then need not wait for
-- their next poll. A commit that does takes a lock of the whole server for a
-- moment, so it is for those to whom some milliseconds matter more.

create function postrider.ring() returns trigger
language plpgsql as $$
begin
  -- As one for each transaction, however many statements do it.
  notify postrider;
  return null;
end $$;

revoke execute on function postrider.ring() from public;

create trigger ring after insert on postrider.event
  for each statement
  when (current_setting('postrider.notify', true) = 'on')
  execute function postrider.ring();
