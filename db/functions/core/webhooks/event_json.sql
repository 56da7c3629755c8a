create or replace function core.event_json(event_id uuid)
returns json
language plpgsql stable set search_path = pg_catalog, pg_temp
as $$
begin
  return (
    select json_build_object(
      'eventId', e.event_id, 'eventType', e.event_type, 'orderCode', e.order_code,
      'externalOrderId', (select o.external_order_id from supply.orders o where o.id = e.order_id),
      'callbackUrl', e.callback_url, 'state', e.state, 'attempts', e.attempts,
      'nextAttemptAt', core.iso(e.next_attempt_at),
      'lastStatus', e.last_status, 'lastError', e.last_error, 'createdAt', core.iso(e.created_at))
    from core.partner_events e where e.event_id = event_json.event_id);
end
$$;
comment on function core.event_json is 'An event about an order as its partner reads it in a list. Null of null.';
