create or replace function api.admit(requests jsonb, default_limit int)
returns table (
  ordinal int, limit_per_minute int, remaining int, reset_ms int, verdict text,
  account_id bigint, key_id bigint, account_mode text, currency text, allowed_origins text
)
language plpgsql security definer set search_path = pg_catalog, pg_temp
as $$
begin
  return query
  with entry as materialized (
    select r.ordinal, r.count and not foreign_write.forbidden as counts,
      -- An IPv6 address counts with the others of its /64.
      network(set_masklen(r.client, case family(r.client) when 4 then 32 else 64 end)) as network,
      account.id as account_id, account.key_id, account.mode, account.currency, key.allowed_origins, case
        when foreign_write.forbidden then 'origin_forbidden'
        when key.id is null or key.revoked_at is not null or key.starts_at > now() then 'unauthorized'
        when key.expires_at <= now() then 'unauthorized'
        when not account.active then 'unauthorized'
        when r.origin is not null and key.allowed_origins is not null
          and not core.origin_allowed(r.origin, key.allowed_origins) then 'unauthorized'
        when account.kind = 'storefront' then 'storefront'
        when key.scope = 'public' then 'public_scope'
        when key.allowed_ips is not null and not coalesce(r.client <<= any (key.allowed_ips), false) then 'ip_forbidden'
        else 'ok'
      end as verdict
    from jsonb_to_recordset(requests) as r (
      ordinal int, client inet, "keyHash" text, origin text, write boolean, "allowOrigin" boolean, count boolean)
    left join lateral (
      select k.* from supply.api_keys k where k.key_hash = decode(r."keyHash", 'hex') offset 0
    ) as key on true
    cross join lateral (
      select r.write and r.origin is not null and not r."allowOrigin"
        and not core.origin_allowed(r.origin, coalesce(key.allowed_origins, '{}')) as forbidden
    ) as foreign_write
    left join lateral (
      select a.*, key.id as key_id from supply.accounts a where a.id = key.account_id offset 0
    ) as account on not foreign_write.forbidden
  ), network as (
    select distinct e.network::text as subject from entry e where e.counts
  ), free as materialized (
    select w.subject from supply.rate_windows w
    where w.kind = 'requests' and w.subject = any (array(select n.subject from network n))
    order by w.subject for no key update skip locked
  ), busy as materialized (
    select w.subject from supply.rate_windows w
    where w.kind = 'requests' and w.subject = any (array(select n.subject from network n))
      and w.subject <> all (array(select f.subject from free f))
  ), client as (
    select array_agg(c.network::text) as networks, array_agg(c.hits) as hits, array_agg(coalesce(
      (select l.per_minute from supply.rate_limits l where l.network >>= c.network
        order by masklen(l.network) desc limit 1),
      default_limit)) as limits
    from (
      select e.network, count(*)::int as hits from entry e
      where e.counts and e.network::text <> all (array(select b.subject from busy b)) group by e.network
    ) as c
  ), counted as materialized (
    select jsonb_object_agg(w.subject, jsonb_build_object(
      'before', w.hits_before,
      'limit', w.per_minute,
      'reset', least(60000, greatest(1, ceil(1000 * extract(epoch from w.ends_at - clock_timestamp()))))::int)
    ) as windows
    from client c, core.count_hits('requests', c.networks, c.hits, c.limits) as w
  )
  select e.ordinal, b.per_minute, case when e.counts then greatest(0, b.per_minute - b.place) end, b.reset,
    case
      when e.counts and e.network::text = any (array(select l.subject from busy l)) then 'busy'
      when b.place > b.per_minute then 'rate_limited'
      else e.verdict
    end,
    e.account_id, e.key_id, e.mode, e.currency,
    case when e.verdict = 'ok' then array_to_string(e.allowed_origins, ' ') end
  from (
    select e.*, row_number() over (partition by e.network, e.counts order by e.ordinal) as turn
    from entry e
  ) as e
  left join lateral (
    select (w ->> 'before')::int + e.turn::int as place, (w ->> 'limit')::int as per_minute,
      (w ->> 'reset')::int as reset
    from (select counted.windows -> e.network::text as w from counted) as known
    where e.counts
  ) as b on true;
end
$$;
comment on function api.admit is
  'Admits requests: [{ordinal, client, keyHash (hex), origin, write, allowOrigin, count}]. default_limit: the budget
per 60 s. Only entries with count use the budget. Returns the budget (null: not counted, origin_forbidden), the first
check that fails (busy: try again, another transaction counts), with ok the key''s allowlist. Specification 5, 8.
nullable: limit_per_minute, remaining, reset_ms, account_id, key_id, account_mode, currency, allowed_origins';
