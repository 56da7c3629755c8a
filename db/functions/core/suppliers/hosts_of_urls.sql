create or replace function core.hosts_of_urls(urls text[])
returns text[]
language sql immutable set search_path = pg_catalog, pg_temp
as $$
  select array(
    select distinct coalesce(core.host_and_port(u), '?') from unnest(urls) as u where u is not null order by 1)
$$;
comment on function core.hosts_of_urls is
  'Returns the hosts and ports of a supplier''s URL and token_url: they get its secret, or a token made from it.';
