create or replace function core.fields_of_product(delivery_type text, given jsonb, before supply.products)
returns jsonb
language plpgsql immutable set search_path = pg_catalog, pg_temp
as $$
declare
  fields jsonb := coalesce(given, before.delivery_fields, '[]');
  cleaned jsonb := '[]';
begin
  if given is null and delivery_type = 'id_only' and before.delivery_type is distinct from 'id_only'
    and fields = '[]' then
    fields := '[{"id": "gameUserId", "label": "Player ID", "required": true}]';
  end if;
  perform core.require(jsonb_typeof(fields) = 'array' and jsonb_array_length(fields) <= 20,
    'delivery_fields must be an array of at most 20 fields');
  for i in 0 .. jsonb_array_length(fields) - 1 loop
    cleaned := cleaned || core.clean_field(fields -> i, format('delivery_fields[%s]', i));
  end loop;
  perform core.require(
    (select count(distinct f ->> 'id') = count(*) from jsonb_array_elements(cleaned) as f),
    'delivery_fields must have different ids');
  perform core.require(
    delivery_type <> 'id_only' or cleaned = '[]' or cleaned @> '[{"required": true}]',
    'delivery_fields of an id_only product must have a required field, such as the player id: without one its orders '
      'would reach no player',
    hint => 'If its orders need no field, give delivery_fields => ''[]''.');
  return cleaned;
end
$$;
comment on function core.fields_of_product is
  'Returns the delivery fields of a product with all their members: those given, else those it has, else, of an id_only
product, the player id. Raises for the first malformed field, for equal ids, and for fields of an id_only product of
which none is required.';
