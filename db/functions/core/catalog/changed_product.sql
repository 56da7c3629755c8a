create or replace function core.changed_product(
  before supply.products, id int, game_slug text, name text, price numeric, currency text, delivery_type text,
  delivery_fields jsonb, region text, amount_value numeric, max_quantity int, in_stock boolean, subject text default ''
)
returns supply.products
language plpgsql stable set search_path = pg_catalog, pg_temp
as $$
declare
  game_id constant int := (select g.id from supply.games g where g.slug = game_slug);
  fault constant text := core.fault_of_product(id, name, price, currency, delivery_type, region, amount_value,
    coalesce(max_quantity, before.max_quantity, 100));
begin
  perform core.require(game_id is not null, format('%sthere is no game %L', subject, game_slug), 'no_data_found',
    'ops.games lists the games, ops.upsert_game creates one.');
  perform core.require(fault is null, subject || fault);
  return core.merged_product(before, id, game_id, name, price, currency, delivery_type,
    core.fields_of_product(delivery_type, delivery_fields, before, subject), region, amount_value, max_quantity,
    in_stock);
end
$$;
comment on function core.changed_product is
  'Returns a product (before; null: a new one) with the values given, by the rules of ops.upsert_product;
delivery_fields: of core.clean_fields. Raises, with the subject in front, for the first wrong value.';
