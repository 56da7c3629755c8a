create or replace function core.alerts_of_other_orders(results supply.call_result[])
returns supply.occurrence[]
language sql stable set search_path = pg_catalog, pg_temp
as $$
  select array_agg(row('contradicting_result', r.supplier, null, format('supplier %s names its order %s for item %s, '
    'after it had named %s', r.supplier, r.supplier_order_id, i.id, i.supplier_order_id))::supply.occurrence)
  from unnest(results) as r join supply.order_items i on i.id = r.item_id
  where i.supplier = r.supplier and i.supplier_order_id <> r.supplier_order_id
    and r.verdict in ('settled', 'waiting', 'stuck', 'next_supplier', 'held')
$$;
comment on function core.alerts_of_other_orders is
  'Returns the alerts for operators about results with another id of the supplier''s order than the item has: there may
be two orders. Call it before the ids are recorded.';
