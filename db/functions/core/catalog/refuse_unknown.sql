create or replace function core.refuse_unknown(entry jsonb, kind text, known text[])
returns void
language plpgsql set search_path = pg_catalog, pg_temp
as $$
declare
  unknown text;
begin
  perform core.require(jsonb_typeof(entry) = 'object', format('each %s must be an object', kind));
  select string_agg(k, ', ') into unknown from jsonb_object_keys(entry) as k where k <> all (known);
  perform core.require(unknown is null, format('a %s has an unknown member: %s', kind, unknown));
end
$$;
comment on function core.refuse_unknown is
  'Raises if a JSON value is no object, or has a member that is not known: a misspelt name would be ignored silently.';
