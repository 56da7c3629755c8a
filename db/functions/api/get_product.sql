create or replace function api.get_product(account_id bigint, product_id bigint)
returns json
language sql stable security definer set search_path = pg_catalog, pg_temp
as $$
  select core.product_json(p, core.has_offer(p.id))
  from supply.products p
  where p.id = product_id
    and p.currency = (select a.currency from supply.accounts a where a.id = get_product.account_id)
$$;
comment on function api.get_product is
  'Returns a product in the account''s currency; null: there is none with this id.';
