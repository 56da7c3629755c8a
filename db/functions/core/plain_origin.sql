create or replace function core.plain_origin(origin text)
returns text
language sql immutable set search_path = pg_catalog, pg_temp
as $$
  select regexp_replace(regexp_replace(lower(origin), '^(https://.*):443$', '\1'), '^(http://.*):80$', '\1')
$$;
comment on function core.plain_origin is 'An origin in lower case without its scheme''s default port.';
revoke all on function core.plain_origin from public;
