create or replace function core.clean_fields(fields jsonb)
returns jsonb
language plpgsql immutable set search_path = pg_catalog, pg_temp
as $$
declare
  field jsonb;
  place int := 0;
  cleaned jsonb := '[]';
begin
  perform core.require(jsonb_typeof(fields) = 'array' and jsonb_array_length(fields) <= 20,
    'delivery_fields must be an array of at most 20 fields');
  for field in select f from jsonb_array_elements(fields) as f loop
    cleaned := cleaned || core.clean_field(field, format('delivery_fields[%s]', place));
    place := place + 1;
  end loop;
  perform core.require(
    (select count(distinct f ->> 'id') = count(*) from jsonb_array_elements(cleaned) as f),
    'delivery_fields must have different ids');
  return cleaned;
end
$$;
comment on function core.clean_fields is
  'Returns a product''s delivery fields with all their members. Raises for the first malformed field, and for equal
ids.';
