create or replace function core.are_options(options jsonb)
returns boolean
language sql immutable set search_path = pg_catalog, pg_temp
as $$
  select case when jsonb_typeof(options) = 'array' then (
    select count(*) > 0 and count(distinct o) = count(*)
      and bool_and(jsonb_typeof(o) = 'string' and length(trim(o #>> '{}')) > 0 and length(o #>> '{}') <= 256)
    from jsonb_array_elements(options) as o
  ) else false end
$$;
comment on function core.are_options is
  'Returns whether a JSON value is an array of at least one option: different texts of 1 to 256 characters.';
