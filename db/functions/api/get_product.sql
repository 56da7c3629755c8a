create or replace function api.get_product(account_id bigint, product_id bigint, locale text default null)
returns json
language sql stable security definer set search_path = pg_catalog, pg_temp
as $$
  select core.add_member(
    core.products_json(array[p]) -> 0, 'texts', coalesce(core.product_texts(p.product_id, get_product.locale), 'null'))
  from core.partner_products p
  where p.account_id = get_product.account_id and p.product_id = get_product.product_id
$$;
comment on function api.get_product is
  'Returns a product in the account''s currency, with its texts (core.product_texts) in the locale; null: there is none
with this id.';
