create or replace function core.origin_allowed(origin text, allowed text[])
returns boolean
language sql immutable set search_path = pg_catalog, pg_temp
as $$
  select coalesce(bool_or(
    case
      when entry like '%://%' then core.plain_origin(entry) = core.plain_origin(origin)
      when entry like '*.%' then right(host, length(entry) - 1) = lower(substr(entry, 2))
      else host = lower(entry)
    end), false)
  from unnest(allowed) as entry,
    (select substring(lower(origin) from '^[a-z][a-z0-9+.-]*://([a-z0-9._-]+|\[[0-9a-f:.]+\])(?::[0-9]+)?$') as host) as parsed
$$;
comment on function core.origin_allowed is
  'Whether an Origin header matches an allowlist: host (any scheme and port), *.host (its subdomains) or a whole origin.';
revoke all on function core.origin_allowed from public;
