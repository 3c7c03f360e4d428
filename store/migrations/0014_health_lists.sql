-- Endpoints by their health, newest first, for operators. Few are anything but
-- healthy, so that these hold few rows.
create index endpoint_health_state on postrider.endpoint_health (state, endpoint)
  where state <> 'healthy';
create index endpoint_health_paused on postrider.endpoint_health (endpoint)
  where paused;
