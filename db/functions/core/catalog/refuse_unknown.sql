create or replace function core.refuse_unknown(entry jsonb, what text, known text[])
returns void
language plpgsql immutable set search_path = pg_catalog, pg_temp
as $$
begin
  perform core.require(jsonb_typeof(entry) = 'object', what || ' must be an object');
  perform core.require(entry - known = '{}', format('%s has an unknown member: %s', what,
    (select string_agg(k, ', ') from jsonb_object_keys(entry - known) as k)));
end
$$;
comment on function core.refuse_unknown is
  'Raises if a JSON value is no object or has an unknown member, such as a misspelt name.';
