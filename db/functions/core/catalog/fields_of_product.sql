create or replace function core.fields_of_product(delivery_type text, given jsonb, before supply.products)
returns jsonb
language plpgsql immutable set search_path = pg_catalog, pg_temp
as $$
declare
  fields jsonb;
begin
  if given is null and delivery_type = 'id_only' and before.delivery_type is distinct from 'id_only'
    and coalesce(before.delivery_fields, '[]') = '[]' then
    given := '[{"id": "gameUserId", "label": "Player ID", "required": true}]';
  end if;
  fields := core.clean_fields(coalesce(given, before.delivery_fields, '[]'));
  perform core.require(
    delivery_type <> 'id_only' or fields = '[]' or fields @> '[{"required": true}]',
    'delivery_fields of an id_only product must have a required field, such as the player id: without one its orders '
      'would reach no player',
    hint => 'If its orders need no field, give delivery_fields => ''[]''.');
  return fields;
end
$$;
comment on function core.fields_of_product is
  'Returns the delivery fields of a product: those given, else those it has, else, of an id_only product, the player
id. Raises for malformed fields, and for fields of an id_only product of which none is required.';
