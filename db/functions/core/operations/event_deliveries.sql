create or replace function core.event_deliveries(event_id uuid)
returns json
language plpgsql stable set search_path = pg_catalog, pg_temp
as $$
begin
  return (
    select json_build_object(
      'eventId', e.event_id, 'state', e.state, 'attempts', e.attempts, 'nextAttemptAt', core.iso(e.next_attempt_at),
      'lastStatus', e.last_status, 'lastError', e.last_error)
    from core.partner_events e where e.event_id = event_deliveries.event_id);
end
$$;
comment on function core.event_deliveries is
  'Returns the delivery state of an order''s event, as partners read it. Null of null.';
