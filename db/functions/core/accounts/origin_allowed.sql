create or replace function core.origin_allowed(origin text, allowed text[])
returns boolean
language sql immutable set search_path = pg_catalog, pg_temp
as $$
  select origin = any (allowed) or exists (
    select from substring(origin from '://(\[.*\]|[^:]*)') as host, unnest(allowed) as entry
    where entry = host or (left(entry, 2) = '*.' and right(host, length(entry) - 1) = substr(entry, 2))
  )
$$;
comment on function core.origin_allowed is
  'Returns whether an allowlist contains an origin: as a whole, by its host (any scheme and port) or as a subdomain of
*.host. All have the form of core.plain_origin.';
