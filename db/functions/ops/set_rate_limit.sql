create or replace function ops.set_rate_limit(network cidr, per_minute int)
returns void
language plpgsql security definer set search_path = ''
as $$
begin
  perform core.require(set_rate_limit.network is not null, 'network must be given');
  perform core.require(family(set_rate_limit.network) = 4 or masklen(set_rate_limit.network) <= 64,
    'IPv6 clients are counted by /64: network must be no narrower');
  perform core.require(set_rate_limit.per_minute is null or set_rate_limit.per_minute > 0,
    'per_minute must be above 0; null gives the network the default budget again');
  if set_rate_limit.per_minute is null then
    delete from supply.rate_limits r where r.network = set_rate_limit.network;
  else
    insert into supply.rate_limits as r (network, per_minute)
    values (set_rate_limit.network, set_rate_limit.per_minute)
    on conflict on constraint rate_limits_pkey do update set per_minute = excluded.per_minute;
  end if;
  perform core.log_operator('set_rate_limit', 'network ' || network, jsonb_build_object('per_minute', per_minute));
end
$$;
comment on function ops.set_rate_limit is
  'Gives each client in a network its own request budget per 60 s; null takes it away again. '
  'The narrowest network that holds an address counts. Specification 8.';
revoke all on function ops.set_rate_limit from public;
grant execute on function ops.set_rate_limit to supply_operator;
