create or replace function api.list_catalog(
  account_id bigint, page_limit int, updated_since timestamptz default null, after_id int default 0
)
returns json
language plpgsql stable security definer set search_path = pg_catalog, pg_temp
as $$
declare
  products constant core.partner_products[] := array(
    select p from core.partner_products p
    where p.product_id > coalesce(after_id, 0) and p.account_id = list_catalog.account_id
      and p.updated_at >= coalesce(updated_since, '-infinity')
    order by p.product_id limit page_limit + 1);
  has_more constant boolean := cardinality(products) > page_limit;
begin
  return json_build_object(
    'products', core.products_json(products[1:page_limit]),
    'pagination', json_build_object(
      'limit', page_limit, 'nextCursor', case when has_more then products[page_limit].product_id::text end,
      'hasMore', has_more));
end
$$;
comment on function api.list_catalog is
  'Returns the products of all games in the account''s currency, by id, also those out of stock. updated_since: only
those that changed since then. after_id: a nextCursor.';
