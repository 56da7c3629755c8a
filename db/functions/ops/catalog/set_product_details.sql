-- Roles: trade
create or replace function ops.set_product_details(
  product_id anycompatible, image_url text default null, platform text default null, countries text[] default null
)
returns void
language plpgsql security definer set search_path = pg_catalog, pg_temp
as $$
declare
  before constant supply.products := core.lock_product(product_id);
  after constant supply.products := core.changed_details(before, image_url, platform, countries);
begin
  if core.write_products(array[after], 'set_product_details') = 0 then
    raise notice 'product % (%) has these details already: nothing changed', before.id, before.name;
  else
    raise notice 'product % (%): %', before.id, before.name, core.changed_columns(to_jsonb(before), to_jsonb(after));
  end if;
end
$$;
comment on function ops.set_product_details is
  'Sets what shops show of a product: an http or https picture, a platform such as Steam, and the countries where it
works ({DE,AT}; without them it works everywhere). Null keeps; an empty text and {} clear. A notice shows the values
before. Raises no_data_found for an unknown product.';
