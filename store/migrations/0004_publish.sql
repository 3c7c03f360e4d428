-- The producers' interface: these functions, in the producer's own
-- transaction, and a role that can do nothing else.

create function postrider.refuse(field text, problem text, advice text)
returns void
language plpgsql as $$
begin
  raise 'postrider: %: %', field, problem
    using errcode = 'invalid_parameter_value', hint = advice;
end $$;

-- Headers as they are stored: [{"name": …, "value": …}, …] from the object of
-- names and values that a producer gives. Raises on what may not be sent: the rules of
-- `refuse_header`.
create function postrider.checked_headers(label text, given jsonb)
returns jsonb
language plpgsql immutable as $$
declare
  field text := label || 'headers';
  name text;
  value jsonb;
  stored jsonb := '[]';
begin
  if jsonb_typeof(given) <> 'object' then
    perform refuse(field, 'not a JSON object',
                   'give {"name": "value", …} or null');
  end if;
  for name, value in select * from jsonb_each(given) loop
    if name !~ '^[!#$%&''*+.^_`|~0-9A-Za-z-]{1,128}$' then
      perform refuse(field, format('the name %L is not a header name', name),
                     'use letters, digits and hyphens, at most 128');
    elsif lower(name) ~ ('^(webhook-.*|x-postrider-.*|connection|'
                         'content-length|content-type|expect|host|'
                         'http2-settings|keep-alive|proxy-connection|te|'
                         'traceparent|trailer|transfer-encoding|upgrade|'
                         'user-agent)$') then
      perform refuse(field, format('%L is set by postrider', name),
                     'leave it out');
    elsif jsonb_typeof(value) <> 'string' then
      perform refuse(field, format('the value of %L is not a string', name),
                     'give every value as a JSON string');
    elsif value #>> '{}' !~ '^[\x20-\x7e\t]*$'
          or length(value #>> '{}') > 4096 then
      perform refuse(field,
                     format('the value of %L can not be sent', name),
                     'use visible ASCII, at most 4096 characters');
    end if;
    stored := stored || jsonb_build_object('name', name, 'value', value);
  end loop;
  if jsonb_array_length(stored) > 64 then
    perform refuse(field, 'more than 64', 'send fewer');
  end if;
  return case when stored = '[]' then null else stored end;
end $$;

-- A payload is at most 1 MiB (1048576 bytes). What calls itself JSON has to be
-- JSON; it is looked at and never rewritten.
create function postrider.check_payload(
  label text, payload bytea, content_type text) returns void
language plpgsql immutable as $$
declare
  field text := label || 'payload';
begin
  if payload is null then
    perform refuse(field, 'is null',
                   'give the bytes; an empty JSON payload is the text null');
  elsif octet_length(payload) > 1048576 then
    perform refuse(field, format('%s bytes', octet_length(payload)),
                   'at most 1048576 bytes: send a reference instead');
  elsif content_type = 'application/json'
        or content_type ~* '^application/([a-z0-9.+-]+\+)?json *(;|$)' then
    begin
      perform convert_from(payload, 'UTF8')::json;
    exception
      when invalid_text_representation or character_not_in_repertoire
           or untranslatable_character then
        perform refuse(field, 'not valid JSON: ' || sqlerrm,
                       'give JSON in UTF-8, or name another content_type');
      when statement_too_complex then
        perform refuse(field, 'nested too deeply', 'flatten the JSON');
    end;
  end if;
end $$;

create function postrider.check_name(field text, value text) returns void
language plpgsql immutable as $$
begin
  if value = '' or length(value) > 255 or value ~ '[\x01-\x1f\x7f]' then
    perform refuse(field, 'empty, too long, or holds a control character',
                   'give 1 to 255 characters, or null');
  end if;
end $$;

-- Everything about the form of an event but its headers. `label` goes before
-- the name of the field. (Patterns say what may not occur: a bounded repetition
-- costs a regular expression a hundred times as much.)
create function postrider.check_event(
  label text, tenant text, type text, payload bytea, key text, kind text,
  ordering_key text, content_type text, correlation_id text, producer text,
  schema_version text, traceparent text) returns void
language plpgsql immutable as $$
begin
  if tenant is null then
    perform refuse(label || 'tenant', 'is null', 'give the tenant''s id');
  end if;
  if type is null or type = '' or length(type) > 255
     or type ~ '[^A-Za-z0-9_.]' or '.' || type || '.' like '%..%' then
    perform refuse(label || 'type', coalesce(quote_literal(left(type, 64))
                                             || ' is no event type',
                                             'is null'),
                   'use groups of letters, digits and underscores with dots '
                   'between, such as order.created; at most 255 characters');
  end if;
  if kind is null or kind not in ('event', 'command') then
    perform refuse(label || 'kind', coalesce(quote_literal(left(kind, 64)),
                                             'null') || ' is no kind',
                   'use event or command');
  end if;
  if key = '' or length(key) > 255 or key ~ '[^\x21-\x7e]' then
    perform refuse(label || 'key', 'not a key',
                   'use 1 to 255 visible ASCII characters without blanks');
  end if;
  if content_type = 'application/json' then
    null; -- the usual one
  elsif content_type is null or length(content_type) > 255 or content_type
     !~ '^[!#$%&''*+.^_`|~0-9A-Za-z-]+/[!#$%&''*+.^_`|~0-9A-Za-z-]+ *(;[\x20-\x7e]*)?$'
  then
    perform refuse(label || 'content_type', 'not a media type',
                   'use a type such as application/json or text/plain');
  end if;
  if traceparent !~ '^[0-9a-f]{2}-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}$' then
    perform refuse(label || 'traceparent', 'not a W3C traceparent',
                   'use 00-<32 hexadecimal>-<16 hexadecimal>-<2 hexadecimal>');
  end if;
  if ordering_key is not null then
    perform check_name(label || 'ordering_key', ordering_key);
  end if;
  if correlation_id is not null then
    perform check_name(label || 'correlation_id', correlation_id);
  end if;
  if producer is not null then
    perform check_name(label || 'producer', producer);
  end if;
  if schema_version is not null then
    perform check_name(label || 'schema_version', schema_version);
  end if;
  perform check_payload(label, payload, content_type);
end $$;

-- Raises what `ingest` refused.
create function postrider.raise_refusal(
  label text, status text, tenant text, type text, key text, receivers int)
returns void
language plpgsql immutable as $$
begin
  case status
  when 'unknown_tenant' then
    raise 'postrider: %tenant: there is no tenant %', label,
          quote_literal(left(tenant, 128))
      using errcode = 'foreign_key_violation',
            hint = 'create it first: PUT /v1/tenants/{id}';
  when 'key_conflict' then
    raise 'postrider: %key: % was used for another event', label,
          quote_literal(key)
      using errcode = 'unique_violation',
            hint = 'a repeat has the same type, kind, payload, content type, '
                   'ordering key and headers; something new needs a new key';
  when 'not_one_receiver' then
    raise 'postrider: %kind: the command % has % receivers', label, type,
          receivers
      using errcode = 'check_violation',
            hint = 'a command goes to exactly one endpoint: see to its '
                   'subscriptions, or publish an event';
  end case;
end $$;

-- Writes an event and a delivery for each endpoint that wants it, in the
-- caller's transaction: with it (or its savepoint) both come and go. A repeat
-- of a key answers with the first event. Raises on anything it can't accept.
create function postrider.publish(
  tenant text, type text, payload bytea, key text default null,
  kind text default 'event', ordering_key text default null,
  headers jsonb default null, content_type text default 'application/json',
  correlation_id text default null, producer text default null,
  schema_version text default null, traceparent text default null,
  occurred_at timestamptz default null,
  out event uuid, out duplicate boolean, out deliveries int)
language plpgsql security definer
set search_path = postrider, pg_temp as $$
#variable_conflict use_variable
declare
  stored jsonb;
  status text;
begin
  perform check_event('', tenant, type, payload, key, kind, ordering_key,
                      content_type, correlation_id, producer, schema_version,
                      traceparent);
  if headers is not null then
    stored := checked_headers('', headers);
  end if;
  select * into status, event, deliveries
  from ingest_one(tenant, type, kind, payload, key, null, content_type, stored,
                  ordering_key, correlation_id, producer, schema_version,
                  traceparent, occurred_at);
  duplicate := status = 'duplicate';
  if status not in ('accepted', 'duplicate') then
    perform raise_refusal('', status, tenant, type, key, deliveries);
  end if;
end $$;

-- The same from text: what is stored are exactly its bytes in UTF-8.
create function postrider.publish(
  tenant text, type text, payload text, key text default null,
  kind text default 'event', ordering_key text default null,
  headers jsonb default null, content_type text default 'application/json',
  correlation_id text default null, producer text default null,
  schema_version text default null, traceparent text default null,
  occurred_at timestamptz default null,
  out event uuid, out duplicate boolean, out deliveries int)
language plpgsql security definer
set search_path = postrider, pg_temp as $$
#variable_conflict use_variable
begin
  select * into event, duplicate, deliveries
  from publish(tenant, type, convert_to(payload, 'UTF8'), key, kind,
               ordering_key, headers, content_type, correlation_id, producer,
               schema_version, traceparent, occurred_at);
end $$;

-- Many at once; arrays of one length, those left out hold the defaults. The
-- first that is refused raises, with its place (from 1), and nothing stays.
create function postrider.publish_batch(
  tenants text[], types text[], payloads bytea[], keys text[] default null,
  kinds text[] default null, ordering_keys text[] default null,
  headers jsonb[] default null, content_types text[] default null,
  correlation_ids text[] default null, producers text[] default null,
  schema_versions text[] default null, traceparents text[] default null,
  occurred_ats timestamptz[] default null)
returns table (ordinal int, event uuid, duplicate boolean, deliveries int)
language plpgsql security definer rows 500
set search_path = postrider, pg_temp as $$
#variable_conflict use_variable
declare
  n int := coalesce(cardinality(tenants), 0);
  stored jsonb[];
  answer record;
begin
  if not n = all (array[
       coalesce(cardinality(types), 0), coalesce(cardinality(payloads), 0),
       coalesce(cardinality(keys), n), coalesce(cardinality(kinds), n),
       coalesce(cardinality(ordering_keys), n),
       coalesce(cardinality(headers), n),
       coalesce(cardinality(content_types), n),
       coalesce(cardinality(correlation_ids), n),
       coalesce(cardinality(producers), n),
       coalesce(cardinality(schema_versions), n),
       coalesce(cardinality(traceparents), n),
       coalesce(cardinality(occurred_ats), n)]) then
    perform refuse('arrays', 'of different lengths',
                   format('give %s elements in each, or null', n));
  end if;
  for i in 1 .. n loop
    perform check_event(
      format('event %s: ', i), tenants[i], types[i], payloads[i], keys[i],
      coalesce(kinds[i], 'event'), ordering_keys[i],
      coalesce(content_types[i], 'application/json'), correlation_ids[i],
      producers[i], schema_versions[i], traceparents[i]);
    if headers[i] is not null then
      stored[i] := checked_headers(format('event %s: ', i), headers[i]);
    end if;
  end loop;
  for answer in
    select * from ingest(tenants, types, kinds, payloads, keys, null,
                         content_types, stored, ordering_keys,
                         correlation_ids, producers, schema_versions,
                         traceparents, occurred_ats)
  loop
    ordinal := answer.ordinal;
    event := answer.event;
    duplicate := answer.status = 'duplicate';
    deliveries := answer.deliveries;
    if answer.status not in ('accepted', 'duplicate') then
      perform raise_refusal(format('event %s: ', ordinal), answer.status,
                            tenants[ordinal], types[ordinal], keys[ordinal],
                            deliveries);
    end if;
    return next;
  end loop;
end $$;

-- Roles belong to the whole cluster, where another database may be making the
-- same one right now.
do $$
begin
  if not exists (select from pg_roles where rolname = 'postrider_producer')
  then
    create role postrider_producer nologin;
  end if;
exception
  when duplicate_object or unique_violation then null;
  when insufficient_privilege then
    raise 'postrider: the role postrider_producer is missing and % may not '
          'create roles', current_user
      using errcode = 'insufficient_privilege',
            hint = 'as a superuser: create role postrider_producer nologin';
end $$;

revoke all on schema postrider from public;
revoke execute on all functions in schema postrider from public;
grant usage on schema postrider to postrider_producer;
grant execute on function
  postrider.publish(text, text, bytea, text, text, text, jsonb, text, text,
                    text, text, text, timestamptz),
  postrider.publish(text, text, text, text, text, text, jsonb, text, text,
                    text, text, text, timestamptz),
  postrider.publish_batch(text[], text[], bytea[], text[], text[], text[],
                          jsonb[], text[], text[], text[], text[], text[],
                          timestamptz[])
  to postrider_producer;
