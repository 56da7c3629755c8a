create or replace function core.announce_simulated_order(ended supply.simulated_orders)
returns void
language plpgsql set search_path = pg_catalog, pg_temp
as $$
declare
  event_id constant uuid := core.event_id(ended.code);
  event_type constant text := 'order.' || ended.status;
begin
  -- As real ones: a partial result has no event.
  if ended.callback_url is null or ended.outcome = 'partial' then
    return;
  end if;
  insert into supply.events (id, account_id, order_code, event_type, callback_url, simulated, body)
  values (event_id, ended.account_id, ended.code, event_type, ended.callback_url, true, core.render_event(
    event_id => event_id, event_type => event_type, at => now(),
    order_code => ended.code, external_order_id => ended.external_order_id, total_amount => ended.total_amount,
    completed_at => ended.completed_at, reason => ended.reason,
    items => (
      select json_agg(core.event_item(
        item ->> 'productName', (part ->> 'amount')::int, (item ->> 'price')::numeric,
        (part -> 'cdKeys')::json) order by i.place)
      from jsonb_array_elements(ended.items) with ordinality as i (item, place)
      cross join lateral jsonb_array_elements(item -> 'parts') as p (part))));
  perform core.enqueue_deliveries(array[event_id]);
end
$$;
comment on function core.announce_simulated_order is
  'Writes the event of a simulated order that ended, and sends it as samples are sent. No event without a callback
URL, or about a partial result. Specification 3.';
