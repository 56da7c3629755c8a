create or replace function core.clean_networks(networks cidr[])
returns cidr[]
language plpgsql immutable set search_path = pg_catalog, pg_temp
as $$
declare
  network cidr;
  cleaned cidr[];
begin
  perform core.require(networks is null or cardinality(networks) > 0 and array_position(networks, null) is null,
    'allowed_ips must be networks, and not be empty; null allows any address');
  foreach network in array coalesce(networks, '{}') loop
    cleaned := cleaned || core.clean_network(network);
  end loop;
  return cleaned;
end
$$;
comment on function core.clean_networks is
  'Returns the networks from which a key may be used, as given; null means any. Raises for an empty list, a null, and
IPv4 addresses written as IPv6.';
