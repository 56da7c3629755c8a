create or replace function api.list_products(
  account_id bigint, game_slug text, delivery_type text default null, updated_since timestamptz default null,
  page_limit int default 5000, after_id int default 0
)
returns table (products json, next_cursor text)
language plpgsql stable security definer set search_path = pg_catalog, pg_temp
-- A generic plan expects ten products where there are thousands.
set plan_cache_mode = 'force_custom_plan'
as $$
declare
  wanted_id constant int := (select g.id from supply.games g where g.slug = list_products.game_slug);
  listed core.partner_products[];
begin
  if wanted_id is null then
    return;
  end if;
  listed := array(
    select p from core.partner_products p
    where p.game_id = wanted_id and p.product_id > coalesce(list_products.after_id, 0)
      and p.account_id = list_products.account_id
      and (list_products.delivery_type is null or (p.product).delivery_type = list_products.delivery_type)
      and (list_products.updated_since is null or p.updated_at >= list_products.updated_since)
    order by p.product_id limit list_products.page_limit + 1);
  products := core.products_json(listed[1:page_limit]);
  next_cursor := case when cardinality(listed) > page_limit then listed[page_limit].product_id end;
  return next;
end
$$;
comment on function api.list_products is
  'Returns the products of a game in the account''s currency, by id, also those out of stock. No row: there is no such
game. after_id: a next_cursor, which is null on the last page.
nullable: next_cursor';
