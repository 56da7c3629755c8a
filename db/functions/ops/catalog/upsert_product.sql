-- Roles: trade
create or replace function ops.upsert_product(
  id int, game_slug text, name text, price numeric, currency text, delivery_type text,
  delivery_fields jsonb default null, region text default null, amount_value numeric default null,
  max_quantity int default null, in_stock boolean default null
)
returns int
language plpgsql security definer set search_path = pg_catalog, pg_temp
as $$
declare
  before supply.products;
  after supply.products;
begin
  -- No other transaction may take the same new id.
  perform pg_advisory_xact_lock(hashtextextended('product ids', 0));
  after.id := coalesce(id, (select max(p.id) + 1 from supply.products p), 1);
  select p.* into before from supply.products p where p.id = after.id for no key update;
  after := core.changed_product(before, after.id, game_slug, name, price, currency, delivery_type,
    core.clean_fields(delivery_fields), region, amount_value, max_quantity, in_stock);
  if core.write_products(array[after], 'upsert_product') = 0 then
    raise notice 'product % (%) has these values already: nothing changed', after.id, name;
  elsif before.id is null then
    raise notice 'created product % (%) at % %', after.id, name, price, currency;
  else
    raise notice 'changed product % (%): %', after.id, name, core.changed_columns(to_jsonb(before), to_jsonb(after));
  end if;
  return after.id;
end
$$;
comment on function ops.upsert_product is
  'Creates a product (null id: a new one) or changes one; returns its id. Null keeps the old value; region '''' and
amount_value 0 clear. delivery_type: id_only (top-up), key (codes) or other. delivery_fields: [{id, type: text|
number|select, label, required, placeholder, options}]; a new id_only product gets the player id, ''[]'': none.';
