create or replace function api.simulate_webhook(
  account_id bigint, callback_url text, event_type text, order_code text default null
)
returns uuid
language plpgsql security definer set search_path = pg_catalog, pg_temp
as $$
#variable_conflict use_column
declare
  event_id uuid := gen_random_uuid();
  code text := coalesce(order_code, 'sample_' || replace(event_id::text, '-', ''));
  own_order bigint := (
    select o.id from supply.orders o
    where o.id = core.own_order(simulate_webhook.account_id, simulate_webhook.order_code) and o.outcome <> 'partial'
      and simulate_webhook.event_type = 'order.' || o.status);
begin
  if (select count(*) from (
    select from supply.events e
    where e.account_id = simulate_webhook.account_id and e.state in ('waiting', 'sending') and e.simulated
    limit 100) as open) = 100 then
    return null;
  end if;

  insert into supply.events (id, account_id, order_code, event_type, callback_url, simulated, body)
  values (event_id, account_id, code, event_type, callback_url, true,
    case when own_order is null then core.sample_event_body(event_id, event_type, code, now())
    else core.event_body(event_id, event_type, own_order, now()) end);
  perform core.enqueue_deliveries(array[event_id]);
  return event_id;
end
$$;
comment on function api.simulate_webhook is
  'Sends a sample event to a checked callback URL on the path of real ones and gives its event id; null if 100 samples of the account are '
  'still open. A code of an own order that ended so makes it that order''s event again, under a new id; with any other code, or none, it '
  'holds sample data. Touches no balance and no supplier, and raises no alert.';
revoke all on function api.simulate_webhook from public;
grant execute on function api.simulate_webhook to supply_api;
