create or replace function core.clean_network(network cidr)
returns cidr
language plpgsql immutable set search_path = pg_catalog, pg_temp
as $$
begin
  perform core.require(network is null or not network <<= cidr '::ffff:0:0/96', format(
    '%s is a network of IPv4 addresses written as IPv6, which no client has: write %s/%s',
    network, substr(host(network), length('::ffff:') + 1), masklen(network) - 96));
  return network;
end
$$;
comment on function core.clean_network is
  'Returns a network of clients, as given; null stays null. Raises for IPv4-mapped IPv6 addresses: clients have IPv4
addresses, so the network would never match.';
