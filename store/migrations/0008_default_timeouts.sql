-- An endpoint that names no timeout of its own takes the node's, so that it
-- follows http.timeout and http.connect_timeout. What was written before stays.
alter table postrider.endpoint
  alter timeout_ms drop default,
  alter timeout_ms drop not null,
  alter connect_timeout_ms drop default,
  alter connect_timeout_ms drop not null;
