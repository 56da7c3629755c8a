create or replace function core.other_owner_of_secret(credential text, urls text[])
returns text
language sql stable set search_path = pg_catalog, pg_temp
as $$
  select array_to_string(h.hosts, ' and ') from supply.secret_hosts h
  where 'env:' || h.secret = credential and not core.hosts_of_urls(urls) <@ h.hosts
$$;
comment on function core.other_owner_of_secret is
  'Returns the hosts that a credential env:SUPPLIER_SECRET_… belongs to, if the URLs have others; null: it may go to the
URLs.';
