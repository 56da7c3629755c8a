create or replace function core.plain_name(name text)
returns text
language sql immutable set search_path = pg_catalog, pg_temp
as $$
  select translate(lower(name), '_- ', '')
$$;
comment on function core.plain_name is 'Returns a field''s name without case and separators, to find a misspelt one.';
