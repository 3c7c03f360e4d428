-- Where each attempt went, though the endpoint has moved since (LIFE-02): an
-- attempt keeps the version of the endpoint that it was sent by, eight bytes
-- on the hot path, and every URL that an endpoint had stands here once.
create table postrider.endpoint_url (
  endpoint bigint not null references postrider.endpoint on delete cascade,
  version  bigint not null,
  url      text not null,
  primary key (endpoint, version)
);
insert into postrider.endpoint_url
select id, version, url from postrider.endpoint;

-- After the trigger that gives the row its version.
create function postrider.endpoint_url_note() returns trigger
language plpgsql set search_path = postrider, pg_temp as $$
begin
  insert into endpoint_url values (new.id, new.version, new.url)
  on conflict do nothing;
  return null;
end $$;
create trigger endpoint_url_first after insert on postrider.endpoint
  for each row execute function postrider.endpoint_url_note();
create trigger endpoint_url_next after update on postrider.endpoint
  for each row when (old.url is distinct from new.url)
  execute function postrider.endpoint_url_note();
revoke execute on function postrider.endpoint_url_note() from public;

-- Null for what was not sent, and before this column was.
alter table postrider.attempt add column endpoint_version bigint;
