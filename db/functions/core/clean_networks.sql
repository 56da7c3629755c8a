create or replace function core.clean_networks(networks cidr[])
returns cidr[]
language plpgsql immutable set search_path = pg_catalog, pg_temp
as $$
begin
  perform core.require(networks is null or cardinality(networks) > 0 and array_position(networks, null) is null,
    'allowed_ips must be networks, and not be empty; null allows any address');
  return networks;
end
$$;
comment on function core.clean_networks is 'The networks that a key may be used from, as given; null means any. Raises if there is none, or one that is null.';
revoke all on function core.clean_networks from public;
