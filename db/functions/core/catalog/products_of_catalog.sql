create or replace function core.products_of_catalog(entries jsonb)
returns setof supply.products
language sql stable set search_path = pg_catalog, pg_temp
as $$
  -- Many products have the same fields.
  with cleaned as materialized (
    select jsonb_object_agg(f.given::text, core.clean_fields(f.given, format('product %s: delivery_fields', f.id)))
      as by_given
    from (
      select e -> 'delivery_fields' as given, min(e ->> 'id') as id
      from jsonb_array_elements(entries) as e group by 1) as f
    where f.given <> 'null'
  )
  -- Null clears a region, an amount or a detail; an absent one stays.
  select detailed.*
  from jsonb_array_elements(entries) as e
  cross join cleaned
  cross join lateral jsonb_to_record(e) as p (
    id int, game_slug text, name text, price numeric, currency text, delivery_type text, delivery_fields jsonb,
    region text, amount_value numeric, max_quantity int, in_stock boolean, image_url text, platform text,
    countries text[])
  left join supply.products before on before.id = p.id
  cross join lateral core.changed_product(before, p.id, p.game_slug, p.name, p.price, p.currency, p.delivery_type,
    cleaned.by_given -> p.delivery_fields::text, case when e ? 'region' then coalesce(p.region, '') end,
    case when e ? 'amount_value' then coalesce(p.amount_value, 0) end, p.max_quantity, p.in_stock,
    format('product %s: ', p.id)) as changed
  cross join lateral core.changed_details(changed, case when e ? 'image_url' then coalesce(p.image_url, '') end,
    case when e ? 'platform' then coalesce(p.platform, '') end,
    case when e ? 'countries' then coalesce(p.countries, '{}') end, format('product %s: ', p.id)) as detailed
$$;
comment on function core.products_of_catalog is
  'Returns the products that entries of a catalog list, as they are after its load. Raises for the first wrong value.';
