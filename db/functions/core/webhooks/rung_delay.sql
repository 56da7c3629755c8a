create or replace function core.rung_delay(attempt int)
returns interval
language sql immutable
return (array[
  interval '1 minute', interval '5 minutes', interval '15 minutes', interval '1 hour', interval '3 hours',
  interval '6 hours', interval '12 hours', interval '24 hours'])[attempt];
comment on function core.rung_delay is
  'Returns the delay between an attempt and the next one; null after the ninth, which is the last. Specification 6.5.';
