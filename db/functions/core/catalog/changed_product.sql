create or replace function core.changed_product(
  before supply.products, id int, game_slug text, name text, price numeric, currency text, delivery_type text,
  delivery_fields jsonb, region text, amount_value numeric, max_quantity int, in_stock boolean, subject text default ''
)
returns supply.products
language plpgsql stable set search_path = pg_catalog, pg_temp
as $$
declare
  game_id constant int := (select g.id from supply.games g where g.slug = game_slug);
  limit_of_item constant int := coalesce(max_quantity, before.max_quantity, 100);
  fault constant text := case
    when id is null or id not between 1 and 2000000000 then 'id must be from 1 to 2000000000'
    when length(trim(name)) between 1 and 300 is not true then 'name must have 1 to 300 characters'
    when not core.is_money(price, currency) then coalesce(core.price_rule(currency),
      'currency must be three capital letters, such as RUB, of a currency with at most 2 decimals')
    when length(trim(delivery_type)) between 1 and 50 is not true then 'delivery_type must have 1 to 50 characters'
    when region <> '' and length(trim(region)) not between 1 and 100
      then 'region must have 1 to 100 characters; an empty text means anywhere'
    when amount_value <> 0 and amount_value not between 0.000001 and 1000000000000
      then 'amount_value must be above 0; 0 means that there is none'
    when limit_of_item < 1 then 'max_quantity must be at least 1'
    when delivery_type = 'key' and limit_of_item > 10000
      then 'max_quantity must be at most 10000 where codes are delivered: an answer of a supplier holds no more'
  end;
  after supply.products;
begin
  perform core.require(game_id is not null, format('%sthere is no game %L', subject, game_slug), 'no_data_found',
    'ops.games lists the games, ops.upsert_game creates one.');
  perform core.require(fault is null, subject || fault);
  after := row(
    id, game_id, name, price, currency, nullif(coalesce(region, before.region), ''), delivery_type,
    core.fields_of_product(delivery_type, delivery_fields, before, subject),
    nullif(coalesce(amount_value, before.amount_value), 0), limit_of_item,
    coalesce(in_stock, before.in_stock, true), coalesce(before.updated_at, now()), before.min_margin);
  return after;
end
$$;
comment on function core.changed_product is
  'Returns a product (before; null: a new one) with the values given, by the rules of ops.upsert_product;
delivery_fields: of core.clean_fields. Raises, with the subject in front, for the first wrong value.';
