create or replace function core.event_deliveries(event_id uuid)
returns json
language plpgsql stable set search_path = pg_catalog, pg_temp
as $$
begin
  return (
  select json_build_object(
    'eventId', e.id,
    'state', case when e.state in ('queued', 'ready') then 'waiting' else e.state end,
    'attempts', e.attempts,
    'nextAttemptAt', core.iso(e.next_attempt_at),
    'lastStatus', last.status_code,
    'lastError', core.delivery_error(last.outcome, last.status_code, last.error))
  from supply.events e
  left join lateral (
    select a.outcome, a.status_code, a.error from supply.delivery_attempts a
    where a.event_id = e.id and a.finished_at is not null order by a.round desc, a.attempt desc limit 1) as last on true
  where e.id = event_deliveries.event_id);
end
$$;
comment on function core.event_deliveries is
  'How far the event about an order is with its delivery, as partners read it: of attempts, those of the present round; the last status and error '
  'also of a round before. Null of null.';
