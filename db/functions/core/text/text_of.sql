create or replace function core.text_of(reference anycompatible)
returns text
language plpgsql stable set search_path = pg_catalog, pg_temp
as $$
begin
  -- A cast is the code of whoever made the type, and would run with the owner's rights; format runs no cast.
  perform core.require(
    (select t.typnamespace from pg_type t where t.oid = pg_typeof(reference)) = 'pg_catalog'::regnamespace,
    format('no reference is of the type %s', pg_typeof(reference)), hint => 'Give a number, a uuid or a text.');
  return case when reference is not null then format('%s', reference) end;
end
$$;
comment on function core.text_of is
  'Returns a reference of any type of PostgreSQL as text. Raises invalid_parameter_value for a type that somebody else
made.';
