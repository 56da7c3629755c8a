create or replace function core.products_json(products supply.products[])
returns json
language plpgsql stable set search_path = pg_catalog, pg_temp
as $$
declare
  -- Of all at once: one by one this takes a second for some thousand products.
  offered constant jsonb := (
    select jsonb_object_agg(o.product_id, true)
    from unnest(core.offered_products(array(select p.id from unnest(products) as p))) as o (product_id));
begin
  return (
    select coalesce(json_agg(core.product_json(p, offered ? p.id::text) order by p.id), '[]')
    from unnest(products) as p);
end
$$;
comment on function core.products_json is 'Returns products, by id, as partners read them.';
