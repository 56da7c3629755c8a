create or replace function core.retry_delay(attempt int)
returns interval
language sql immutable strict parallel safe set search_path = pg_catalog, pg_temp
return (array['1 minute', '5 minutes', '15 minutes', '1 hour', '3 hours', '6 hours', '12 hours', '24 hours'])[retry_delay.attempt]::interval;
comment on function core.retry_delay is
  'How long an event waits after the given attempt (1 to 8) has failed; null after the ninth. Specification 6.5.';
revoke all on function core.retry_delay from public;
