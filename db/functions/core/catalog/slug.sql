create or replace function core.slug(name text, id int)
returns text
language sql immutable set search_path = pg_catalog, pg_temp
as $$
  select coalesce(nullif(trim(both '-' from regexp_replace(lower(name), '[^a-z0-9]+', '-', 'g')), ''), 'product-' || id)
$$;
comment on function core.slug is 'A name in the form used in URLs; product-<id> where it has no Latin letter or digit.';
