create or replace function api.list_catalog(
  account_id bigint, page_limit int, updated_since timestamptz default null, after_id int default 0
)
returns json
language plpgsql stable security definer set search_path = pg_catalog, pg_temp
as $$
declare
  products constant supply.products[] := array(
    select p from supply.products p
    where p.id > coalesce(after_id, 0)
      and p.currency = (select a.currency from supply.accounts a where a.id = list_catalog.account_id)
      and p.updated_at >= coalesce(updated_since, '-infinity')
    order by p.id limit page_limit + 1);
  has_more constant boolean := cardinality(products) > page_limit;
begin
  return json_build_object(
    'products', core.products_json(products[1:page_limit]),
    'pagination', json_build_object(
      'limit', page_limit, 'nextCursor', case when has_more then products[page_limit].id::text end,
      'hasMore', has_more));
end
$$;
comment on function api.list_catalog is
  'Returns the products of all games in the account''s currency, by id, also those out of stock. updated_since: only
those that changed since then. after_id: a nextCursor.';
