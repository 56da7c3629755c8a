create or replace function core.client_network(client inet)
returns cidr
language sql immutable strict set search_path = pg_catalog, pg_temp
as $$
  select network(set_masklen(client, case family(client) when 4 then 32 else 64 end))
$$;
comment on function core.client_network is 'What the rate limit counts an address by: itself, or the /64 of an IPv6 address.';
