create or replace function core.changes_of_list(supplier text, entries jsonb)
returns table (before supply.offers, after supply.offers)
language sql stable set search_path = pg_catalog, pg_temp
as $$
  select o, listed
  from (select jsonb_object_agg(e ->> 'sku', e) as by_sku from jsonb_array_elements(entries) as e) as list
  join supply.offers o on o.supplier = changes_of_list.supplier and list.by_sku ? o.sku
  join supply.products p on p.id = o.product_id
  cross join lateral core.listed_offer(o, list.by_sku -> o.sku, p.currency) as listed
  where listed is distinct from o
$$;
comment on function core.changes_of_list is
  'Returns the offers of a supplier that entries of its list change, before and after (core.listed_offer). Of two
entries with one sku the last counts.';
