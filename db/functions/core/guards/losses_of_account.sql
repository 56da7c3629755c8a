create or replace function core.losses_of_account(product_ids int[], list_id int)
returns supply.loss[]
language sql stable set search_path = pg_catalog, pg_temp
as $$
  select coalesce(array_agg(row(l.product_id, l.name, null, null, l.min_quantity, l.price, l.currency, l.supplier,
    l.cost)::supply.loss), '{}')
  from unnest(core.losses(product_ids, array[losses_of_account.list_id])) as l
$$;
comment on function core.losses_of_account is
  'Returns the losses (core.losses) of products for an account with a list (null: none), without the list''s name: so
those of two lists can be compared.';
