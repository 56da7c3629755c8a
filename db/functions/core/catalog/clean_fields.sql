create or replace function core.clean_fields(fields jsonb, path text default 'delivery_fields')
returns jsonb
language plpgsql immutable set search_path = pg_catalog, pg_temp
as $$
declare
  cleaned jsonb := '[]';
begin
  if fields is null then
    return null;
  end if;
  perform core.require(jsonb_typeof(fields) = 'array' and jsonb_array_length(fields) <= 20,
    path || ' must be an array of at most 20 fields');
  for i in 0 .. jsonb_array_length(fields) - 1 loop
    cleaned := cleaned || core.clean_field(fields -> i, format('%s[%s]', path, i));
  end loop;
  perform core.require(
    (select count(distinct f ->> 'id') = count(*) from jsonb_array_elements(cleaned) as f),
    path || ' must have different ids');
  return cleaned;
end
$$;
comment on function core.clean_fields is
  'Returns delivery fields with all their members (core.clean_field); null if none are given. Raises, with the path, for
the first malformed field and for equal ids.';
