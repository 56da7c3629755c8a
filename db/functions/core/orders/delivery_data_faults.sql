create or replace function core.delivery_data_faults(fields jsonb, data jsonb, path text)
returns supply.order_fault[]
language plpgsql immutable set search_path = pg_catalog, pg_temp
as $$
declare
  field jsonb;
  given text;
  message text;
  faults supply.order_fault[] := '{}';
begin
  for i in 0 .. jsonb_array_length(fields) - 1 loop
    field := fields -> i;
    given := data ->> (field ->> 'id');
    message := null;
    if core.is_blank(given) then
      if (field ->> 'required')::boolean then
        message := 'is required' || coalesce((
          select format('; unknown field %s: did you mean %s?', left(k, 64), field ->> 'id')
          from jsonb_object_keys(data) as k
          where core.plain_name(k) = core.plain_name(field ->> 'id') and k <> field ->> 'id' limit 1), '');
      end if;
    elsif field ->> 'type' = 'number' and given !~ '^-?[0-9]+([.][0-9]+)?$' then
      message := 'must be a number';
    elsif field ->> 'type' = 'select' and not (field -> 'options') ? given then
      message := 'must be one of: ' || (
        select string_agg(o, ', ') from jsonb_array_elements_text(field -> 'options') as o);
    end if;
    if message is not null then
      faults := faults
        || row('DELIVERY_DATA_INVALID', path || '.' || (field ->> 'id'), message, null)::supply.order_fault;
    end if;
  end loop;
  return faults;
end
$$;
comment on function core.delivery_data_faults is
  'Returns the fields of a product that are missing or wrong in the data, each with a message. path: of the data.';
