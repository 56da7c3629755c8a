create or replace function core.host_and_port(url text)
returns text
language sql immutable strict set search_path = pg_catalog, pg_temp
as $$
  select coalesce(parts[2], parts[3]) || ':' || coalesce(nullif(parts[4], ''), case parts[1] when 'https' then '443'
    else '80' end)
  from regexp_match(lower(url),
    '^(https?)://(?:([^][/?#@:\\[:space:]]+)|(\[[0-9a-f:.]+\]))(?::([0-9]*))?(?:[/?#]|$)') as parts
$$;
comment on function core.host_and_port is
  'Returns the host and port of an address, such as api.nova.example:443; null if another reader could see another
host.';
