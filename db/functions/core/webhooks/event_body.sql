create or replace function core.event_body(event_id uuid, event_type text, order_id bigint, at timestamptz)
returns text
language plpgsql stable set search_path = pg_catalog, pg_temp set plan_cache_mode = force_generic_plan
as $$
begin
  return (
  select core.render_event(
    event_id => event_body.event_id, event_type => event_body.event_type, at => event_body.at,
    order_code => o.code, external_order_id => o.external_order_id, total_amount => o.total_amount,
    completed_at => o.completed_at, reason => o.reason,
    items => case when event_body.event_type = 'order.completed' then (
      select json_agg(
        core.event_item(i.product_name, i.amount, i.price, case when i.delivery_type = 'key' then core.item_codes(i.id) end)
        order by i.position, i.part)
      from supply.order_items i where i.order_id = o.id
    ) end)
  from supply.orders o
  where o.id = event_body.order_id);
end
$$;
comment on function core.event_body is 'The JSON body of the event about a final order. Specification 2.4 and 6.2.';
