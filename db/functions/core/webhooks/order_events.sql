create or replace function core.order_events(order_ids bigint[], as_id uuid default null)
returns table (
  event_id uuid, event_type text, order_id bigint, order_code text, account_id bigint, callback_url text, body text
)
language plpgsql stable set search_path = pg_catalog, pg_temp
as $$
begin
  return query
  select made.id, made.type, o.id, o.code, o.account_id, o.callback_url, core.render_event(
    event_id => made.id, event_type => made.type,
    order_code => o.code, external_order_id => o.external_order_id, total_amount => o.total_amount,
    completed_at => o.completed_at, reason => o.reason,
    items => case when o.status = 'completed' then (
      select json_agg(
        core.event_item(
          i.product_name, i.amount, i.price, case when i.delivery_type = 'key' then core.item_codes(i.id) end)
        order by i.position, i.part)
      from supply.order_items i where i.order_id = o.id
    ) end)
  -- With offset 0 each order is read by its id. The planner could read all of a young table.
  from unnest(order_ids) as wanted (id)
  cross join lateral (select o.* from supply.orders o where o.id = wanted.id offset 0) as o
  cross join lateral (
    select coalesce(as_id, core.event_id(o.code)) as id, 'order.' || o.status as type offset 0) as made
  where o.completed_at is not null and o.outcome <> 'partial';
end
$$;
comment on function core.order_events is
  'Returns the events of those of the orders that are final and not partial; body holds the codes of the items. Their
ids are made from the codes of the orders (core.event_id); as_id, for one order, replaces that. Specification 2.4 and
6.2.';
