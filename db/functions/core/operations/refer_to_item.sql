create or replace function core.refer_to_item(reference text)
returns uuid
language plpgsql stable set search_path = pg_catalog, pg_temp
as $$
declare
  named record;
begin
  select coalesce(array_agg(i.id::text order by i.id), '{}') as ids, array_agg(
    format('%s (order %s, %s × %s, %s)', i.id, o.code, i.amount, i.product_name, i.status) order by i.id) as choices
  into named
  from (select distinct f.order_id, case when f.kind = 'item' then f.id::uuid end as item_id
    from core.find_orders(reference) f) as f
  join supply.order_items i on i.order_id = f.order_id and i.id = coalesce(f.item_id, i.id)
  join supply.orders o on o.id = i.order_id;
  return core.the_one('item', reference, named.ids, named.choices);
end
$$;
comment on function core.refer_to_item is
  'Returns the one item that a reference means: its id, the supplier''s order id, or any reference (core.find_orders)
of an order of one item. Raises as core.the_one.';
