create or replace function core.offers_of_catalog(entries jsonb)
returns setof supply.offers
language sql stable set search_path = pg_catalog, pg_temp
as $$
  select changed.*
  from jsonb_array_elements(entries) as e
  cross join lateral jsonb_to_record(e) as o (
    product_id int, supplier text, sku text, cost numeric, priority int, currency text, recipient text)
  left join supply.products p on p.id = o.product_id
  left join supply.offers before on before.product_id = o.product_id and before.supplier = o.supplier
  cross join lateral core.changed_offer(before, p, o.supplier, o.sku,
    case when e ? 'cost' then o.cost else before.cost end, coalesce(o.priority, before.priority, 100),
    case when e ? 'currency' then o.currency else before.currency end,
    case when e ? 'recipient' then coalesce(o.recipient, '') end,
    format('product %s at %s: ', o.product_id, o.supplier)) as changed
$$;
comment on function core.offers_of_catalog is
  'Returns the offers that entries of a catalog list, as they are after its load. Raises for the first wrong value.';
