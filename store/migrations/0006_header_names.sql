-- Header names are one whatever their case: what a producer gives may not hold
-- two that a receiver would take for the same. (The API refuses them too.)

create or replace function postrider.checked_headers(label text, given jsonb)
returns jsonb
language plpgsql immutable as $$
declare
  field text := label || 'headers';
  name text;
  value jsonb;
  stored jsonb := '[]';
  seen text[] := '{}';
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
    if lower(name) = any (seen) then
      perform refuse(field, format('%L is given twice', name),
                     'the case of a name does not tell headers apart');
    end if;
    seen := seen || lower(name);
    stored := stored || jsonb_build_object('name', name, 'value', value);
  end loop;
  if jsonb_array_length(stored) > 64 then
    perform refuse(field, 'more than 64', 'send fewer');
  end if;
  return case when stored = '[]' then null else stored end;
end $$;
