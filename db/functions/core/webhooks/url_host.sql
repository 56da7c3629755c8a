create or replace function core.url_host(url text)
returns text
language sql immutable strict set search_path = pg_catalog, pg_temp
as $$
  -- Every parser must read the same host: no credentials, and no backslash, which some read as a slash.
  select substring(lower(url) from '^https?://([^][/?#@:\\[:space:]]+)(?::[0-9]*)?(?:[/?#]|$)')
$$;
comment on function core.url_host is
  'Returns the host of an address, without its port, in lower case; null if another reader could see another host.';
