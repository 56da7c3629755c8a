-- Roles: trade
create or replace function ops.upsert_product(
  id int, game_slug text, name text, price numeric, currency text, delivery_type text,
  delivery_fields jsonb default null, region text default null, amount_value numeric default null,
  max_quantity int default null, in_stock boolean default null, allow text[] default '{}'
)
returns int
language plpgsql security definer set search_path = pg_catalog, pg_temp
as $$
declare
  before supply.products;
  after supply.products;
  losses supply.loss[];
  risks supply.risk[];
  ended text;
begin
  perform core.check_allow(allow);
  -- No other transaction may take the same new id.
  perform pg_advisory_xact_lock(hashtextextended('product ids', 0));
  after.id := coalesce(id, (select max(p.id) + 1 from supply.products p), 1);
  select p.* into before from supply.products p where p.id = after.id for no key update;
  after := core.changed_product(before, after.id, game_slug, name, price, currency, delivery_type,
    core.clean_fields(delivery_fields), region, amount_value, max_quantity, in_stock);
  losses := core.losses(array[after.id]);
  risks := core.risks_of_products(array[after]);
  ended := core.ended_prices(array[after]);
  if core.write_products(array[after], 'upsert_product') = 0 then
    raise notice 'product % (%) has these values already: nothing changed', after.id, name;
    return after.id;
  end if;
  perform core.require_recipients(array[after.id]);
  perform core.refuse_risks(risks || core.risks_of_losses(losses, core.losses(array[after.id])), allow);
  if before.id is null then
    raise notice 'created product % (%) at % %, delivery type %; no supplier offers it yet: ops.upsert_offer', after.id,
      name, price, currency, after.delivery_type;
  else
    raise notice 'changed product % (%): %', after.id, name,
      concat(core.changed_columns(to_jsonb(before), to_jsonb(after)), '; ' || ended);
  end if;
  return after.id;
end
$$;
comment on function ops.upsert_product is
  'Creates a product (null id: a new one) or changes one; returns its id. Null keeps; region '''', amount_value 0 clear.
delivery_type: id_only (asks for the player id unless fields are given), key, other. delivery_fields: [{id, type: text|
number|select, label, required, placeholder, options}]. allow: below_cost, large_change, currency, delivery_type.';
