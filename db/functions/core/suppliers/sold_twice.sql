create or replace function core.sold_twice(item_ids uuid[])
returns supply.occurrence[]
language sql stable set search_path = pg_catalog, pg_temp
as $$
  select array_agg(row('sold_twice', t.supplier, null, t.message)::supply.occurrence)
  from (
    select i.supplier, format('supplier %s gave the same %s for orders %s and %s',
      i.supplier, string_agg(distinct same.what, ' and '),
      (
        select string_agg(o.code, ', ' order by o.id) from supply.orders o where o.id = any (array_agg(same.order_id))),
      (select o.code from supply.orders o where o.id = i.order_id)) as message
    from supply.order_items i
    cross join lateral (
      select other.order_id, 'code' as what
      from supply.item_keys own
      cross join lateral (
        select k.item_id from supply.item_keys k where core.code_identity(k.code) = core.code_identity(own.code)
        offset 0) as k
      cross join lateral (
        select o.supplier, o.order_id from supply.order_items o where o.id = k.item_id offset 0) as other
      where own.item_id = i.id and other.supplier = i.supplier and other.order_id <> i.order_id
      union all
      select other.order_id, 'order id' from supply.order_items other
      where other.supplier_order_id = i.supplier_order_id and other.supplier = i.supplier
        and other.order_id <> i.order_id
    ) as same
    where i.id = any (item_ids) and i.completed_at is not null
    group by i.id, i.supplier, i.order_id
  ) as t
$$;
comment on function core.sold_twice is
  'Returns the alerts for operators about items that just ended: the supplier gave a code or an order id that it had
given for another order. The sale stands.';
