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
  admitted jsonb[] := '{}';
  windows jsonb;
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
      admitted := admitted || (request || jsonb_build_object(
        'network', core.client_network(client),
        'verdict', core.api_key_verdict(key, account, request ->> 'origin', client),
        'keyId', key.id, 'accountId', account.id, 'mode', account.mode, 'currency', account.currency));
    end if;
  end loop;

  select jsonb_object_agg(c.client, jsonb_build_object(
      'hits', c.hits,
      'limit', coalesce(
        (select l.per_minute from supply.rate_limits l where l.network >>= c.client order by masklen(l.network) desc limit 1),
        default_limit),
      'reset', least(60, greatest(1, ceil(extract(epoch from c.started_at + interval '60 s' - now())))::int)))
  into windows
  from core.count_hits(array(select (r ->> 'network')::cidr from unnest(admitted) as r where (r ->> 'count')::boolean)) c;

  -- The window knows the hits with all counted entries of this call: their places are the last ones, in their order.
  return query
  select r.ordinal, b.per_minute, case when r.count then greatest(0, b.per_minute - b.place) end, b.reset,
    case when b.place > b.per_minute then 'rate_limited' else r.verdict end,
    r."accountId", r."keyId", r.mode, r.currency
  from (
    select e.*,
      row_number() over (partition by e.network, e.count order by e.ordinal)
        - count(*) over (partition by e.network, e.count) as from_last
    from jsonb_to_recordset(to_jsonb(admitted)) as e (
      ordinal int, network text, count boolean, verdict text, "keyId" bigint, "accountId" bigint, mode text, currency text)
  ) r
  left join lateral (
    select (w ->> 'hits')::int + r.from_last::int as place, (w ->> 'limit')::int as per_minute, (w ->> 'reset')::int as reset
    from (select windows -> r.network as w) known
    where r.count
  ) b on true;
end
$$;
comment on function api.admit is
  'Admits many requests at once: origin check, rate limit, authentication, in this order. Takes [{ordinal, client, keyHash (hex), '
  'origin, write, allowOrigin, count}] and the budget per 60 s of clients without one of their own. Entries with count use the '
  'budget, in the order of their ordinals; the others neither use it nor are refused for it. Gives the state of the budget '
  '(null for origin_forbidden and where count is false) and a verdict: ok, origin_forbidden, rate_limited, unauthorized, storefront, '
  'public_scope, ip_forbidden. Specification 5 and 8.
nullable: limit_per_minute, remaining, reset_seconds, account_id, key_id, account_mode, currency';
