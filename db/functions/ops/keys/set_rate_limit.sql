-- Roles: support
create or replace function ops.set_rate_limit(network cidr, per_minute int)
returns void
language plpgsql security definer set search_path = pg_catalog, pg_temp
as $$
declare
  -- A /64 is one client: a narrower network has no budget of its own.
  counted cidr := case
    when family(network) = 6 and masklen(network) > 64 then network(set_masklen(network, 64)) else network end;
  before int;
begin
  perform core.require(counted is not null, 'network must be given');
  perform core.clean_network(network);
  perform core.require(set_rate_limit.per_minute is null or set_rate_limit.per_minute > 0,
    'per_minute must be above 0; null sets the default budget again');
  -- Two logins may set the first budget at once: the second one changes it.
  perform pg_advisory_xact_lock(hashtextextended('rate limit of ' || counted, 0))
  where not exists (select from supply.rate_limits r where r.network = counted);
  select r.per_minute into before from supply.rate_limits r where r.network = counted for update;
  if before is not distinct from set_rate_limit.per_minute then
    raise notice 'each client address of % has % already: nothing changed', counted,
      coalesce(per_minute || ' requests a minute', 'the default budget');
    return;
  end if;
  if set_rate_limit.per_minute is null then
    delete from supply.rate_limits r where r.network = counted;
  else
    insert into supply.rate_limits as r (network, per_minute)
    values (counted, set_rate_limit.per_minute)
    on conflict on constraint rate_limits_pkey do update set per_minute = excluded.per_minute;
  end if;
  perform core.log_operator('set_rate_limit', 'network ' || counted, jsonb_build_object('per_minute', per_minute,
    'before', before));
  raise notice 'each client address of % has % (before: %)', counted, coalesce(per_minute || ' requests a minute',
    'the default budget'), coalesce(before || ' requests a minute', 'the default budget');
end
$$;
comment on function ops.set_rate_limit is
  'Sets the request budget per 60 s of each client in a network; null removes it. The narrowest network that contains
an address counts. Specification 8.';
