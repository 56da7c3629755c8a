create or replace function core.fields_of_product(
  delivery_type text, given jsonb, before supply.products, subject text default ''
)
returns jsonb
language plpgsql immutable set search_path = pg_catalog, pg_temp
as $$
declare
  fields jsonb := coalesce(given, before.delivery_fields, '[]');
begin
  if given is null and delivery_type = 'id_only' and before.delivery_type is distinct from 'id_only'
    and fields = '[]' then
    fields := core.clean_fields('[{"id": "gameUserId", "label": "Player ID", "required": true}]');
  end if;
  if core.lacks_required_field(delivery_type, fields) then
    perform core.require(false,
      subject || 'delivery_fields of an id_only product must have a required field, such as the player id: without one '
        'its orders would reach no player',
      hint => 'If its orders need no field, give delivery_fields => ''[]''.');
  end if;
  return fields;
end
$$;
comment on function core.fields_of_product is
  'Returns the delivery fields of a product: those given (core.clean_fields), else those it has, else, of an id_only
product, the player id. Raises, with the subject in front, for fields of an id_only product of which none is required.';
