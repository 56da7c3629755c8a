create or replace function core.require_recipients(product_ids int[])
returns void
language sql stable set search_path = pg_catalog, pg_temp
as $$
  select core.require(false, format('the offer of product %s at %s: %s', o.product_id, o.supplier, f.fault),
    'object_not_in_prerequisite_state', format('Change the offer first, or clear its recipient: select '
      'ops.upsert_offer(%s, %L, %L, recipient => %L)', o.product_id, o.supplier, o.sku, ''))
  from supply.offers o
  join supply.products p on p.id = o.product_id
  cross join lateral (select core.fault_of_recipient(o.recipient, p.delivery_fields) as fault offset 0) as f
  where o.product_id = any (product_ids) and o.recipient is not null and f.fault is not null
  order by o.product_id, o.supplier limit 1
$$;
comment on function core.require_recipients is
  'Raises if the delivery fields of the products lack a field that the recipient of an offer needs.';
