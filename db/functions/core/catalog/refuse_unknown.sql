create or replace function core.refuse_unknown(entry jsonb, what text, known text[])
returns void
language plpgsql immutable set search_path = pg_catalog, pg_temp
as $$
begin
  if jsonb_typeof(entry) is distinct from 'object' then
    perform core.require(false, what || ' must be an object');
  elsif entry - known <> '{}' then
    perform core.require(false, format('%s has an unknown member: %s', what,
      (select string_agg(k, ', ') from jsonb_object_keys(entry - known) as k)));
  end if;
end
$$;
comment on function core.refuse_unknown is
  'Raises if a JSON value is no object or has an unknown member, such as a misspelt name.';
