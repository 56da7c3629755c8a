create or replace function api.admit(requests jsonb, default_limit int)
returns table (
  ordinal int, limit_per_minute int, remaining int, reset_seconds int, verdict text,
  account_id bigint, key_id bigint, account_mode text, currency text
)
language plpgsql security definer set search_path = pg_catalog, pg_temp
as $$
#variable_conflict use_column
declare
  request jsonb;
  key supply.api_keys;
  account supply.accounts;
  client inet;
  counted jsonb[] := '{}';
  hits jsonb;
  place int;
begin
  for request in select r from jsonb_array_elements(requests) r order by (r ->> 'ordinal')::int loop
    select k.* into key from supply.api_keys k where k.key_hash = decode(request ->> 'keyHash', 'hex');
    if (request ->> 'write')::boolean and request ->> 'origin' is not null and not (request ->> 'allowOrigin')::boolean
      and not core.origin_allowed(request ->> 'origin', coalesce(key.allowed_origins, '{}')) then
      ordinal := (request ->> 'ordinal')::int;
      verdict := 'origin_forbidden';
      return next;
    else
      select a.* into account from supply.accounts a where a.id = key.account_id;
      client := (request ->> 'client')::inet;
      counted := counted || (request || jsonb_build_object(
        'network', core.client_network(client),
        'verdict', core.key_verdict(key, account, request ->> 'origin', client),
        'keyId', key.id, 'accountId', account.id, 'mode', account.mode, 'currency', account.currency));
    end if;
  end loop;

  select jsonb_object_agg(c.client, jsonb_build_object(
      'next', c.hits - (select count(*) from unnest(counted) as r where (r ->> 'network')::cidr = c.client) + 1,
      'limit', coalesce(
        (select l.per_minute from supply.rate_limits l where l.network >>= c.client order by masklen(l.network) desc limit 1),
        default_limit),
      'reset', least(60, greatest(1, ceil(extract(epoch from c.started_at + interval '60 s' - now())))::int)))
  into hits
  from core.count_hits(array(select (r ->> 'network')::cidr from unnest(counted) as r where (r ->> 'count')::boolean)) c;

  foreach request in array counted loop
    ordinal := (request ->> 'ordinal')::int;
    verdict := request ->> 'verdict';
    account_id := (request ->> 'accountId')::bigint;
    key_id := (request ->> 'keyId')::bigint;
    account_mode := request ->> 'mode';
    currency := request ->> 'currency';
    limit_per_minute := null; remaining := null; reset_seconds := null;
    if (request ->> 'count')::boolean then
      place := (hits #>> array[request ->> 'network', 'next'])::int;
      hits := jsonb_set(hits, array[request ->> 'network', 'next'], to_jsonb(place + 1));
      limit_per_minute := (hits #>> array[request ->> 'network', 'limit'])::int;
      reset_seconds := (hits #>> array[request ->> 'network', 'reset'])::int;
      remaining := greatest(0, limit_per_minute - place);
      if place > limit_per_minute then
        verdict := 'rate_limited';
      end if;
    end if;
    return next;
  end loop;
end
$$;
comment on function api.admit is
  'The door for many requests at once: origin check, rate limit, authentication, in this order. Takes [{ordinal, client, keyHash (hex), '
  'origin, write, allowOrigin, count}] and the budget per 60 s of clients without one of their own. Gives the state of the budget '
  '(null for origin_forbidden and where count is false) and a verdict: ok, origin_forbidden, rate_limited, unauthorized, storefront, '
  'public_scope, ip_forbidden. Specification 5 and 8.
nullable: limit_per_minute, remaining, reset_seconds, account_id, key_id, account_mode, currency';
revoke all on function api.admit from public;
grant execute on function api.admit to supply_api;
