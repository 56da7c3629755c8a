create or replace function core.changed_terms(old jsonb, new jsonb, product_currency text)
returns jsonb
language sql immutable set search_path = pg_catalog, pg_temp
as $$
  select coalesce(jsonb_object_agg(n.key, n.value), '{}')
  from jsonb_each(new) as n
  where old -> n.key is distinct from n.value
    and not (n.key = 'currency' and n.value = to_jsonb(product_currency) and old -> n.key = 'null')
$$;
comment on function core.changed_terms is
  'Those of the new terms of an offer that differ from the old ones; no currency is that of the product.';
