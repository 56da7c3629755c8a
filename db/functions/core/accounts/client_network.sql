create or replace function core.client_network(client inet)
returns cidr
language sql immutable
return network(set_masklen(client_network.client, case family(client_network.client) when 4 then 32 else 64 end));
comment on function core.client_network is
  'Returns the network in which the rate limit counts an address: the address, or the /64 of an IPv6 address.';
