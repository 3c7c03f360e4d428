-- What the lists for operators walk. Every row of `attempt` is in the first
-- index, which only ever grows at its end and costs next to nothing; the
-- others hold what did not succeed, so the success path pays nothing for them.
create index attempt_at on postrider.attempt (at);
create index attempt_unsuccessful_at on postrider.attempt (at)
  where outcome <> 'succeeded';
create index attempt_unsuccessful_endpoint on postrider.attempt (endpoint, at)
  where outcome <> 'succeeded';

-- One word for what went wrong: by which dead letters are counted and found.
create function postrider.failure(status smallint, error text, reason text)
returns text
language sql immutable parallel safe as $$
  select case
    when status between 300 and 399 then 'redirect_refused'
    when status = 410 then 'gone_410'
    when status = 429 then 'http_429'
    when status between 400 and 499 then 'http_4xx'
    when status >= 500 then 'http_5xx'
    else coalesce(error, reason, 'internal')
  end
$$;

alter table postrider.node add column version text not null default '';

-- A tenant may go while the history of its deleted endpoints is kept. That a
-- new endpoint has a tenant is seen to by `create_endpoint`.
alter table postrider.endpoint drop constraint endpoint_tenant_fkey;

revoke execute on all functions in schema postrider from public;
