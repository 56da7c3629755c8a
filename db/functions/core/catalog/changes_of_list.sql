create or replace function core.changes_of_list(supplier text, by_sku jsonb)
returns table (product_id int, before jsonb, after jsonb)
language sql stable set search_path = pg_catalog, pg_temp
as $$
  select o.product_id, (select jsonb_object_agg(k, old.terms -> k) from jsonb_object_keys(new.terms) as k), new.terms
  from supply.offers o join supply.products p on p.id = o.product_id
  cross join lateral (
    select jsonb_build_object('cost', o.cost, 'currency', o.currency, 'stock', o.stock, 'available', o.available,
      'problem', o.problem) as terms
  ) as old
  cross join lateral (
    select jsonb_object_agg(n.key, n.value) as terms
    from jsonb_each(core.listed_terms(by_sku -> o.sku, coalesce(o.currency, p.currency), o.max_cost)) as n
    where old.terms -> n.key is distinct from n.value
      -- An offer without a currency has that of its product.
      and not (n.key = 'currency' and n.value = to_jsonb(p.currency) and old.terms -> n.key = 'null')
  ) as new
  where o.supplier = changes_of_list.supplier and by_sku ? o.sku and new.terms is not null
$$;
comment on function core.changes_of_list is
  'Returns the offers of a supplier that its list changes, with the terms that differ, before and after. by_sku: the
entries of the list (core.listed_terms).';
