create or replace function core.api_key_verdict(key supply.api_keys, account supply.accounts, origin text, client inet)
returns text
language sql stable set search_path = pg_catalog, pg_temp
as $$
  select case
    when key.id is null or key.revoked_at is not null or key.starts_at > now() then 'unauthorized'
    when key.expires_at <= now() then 'unauthorized'
    when not account.active then 'unauthorized'
    when origin is not null and key.allowed_origins is not null
      and not core.origin_allowed(origin, key.allowed_origins) then 'unauthorized'
    when account.kind = 'storefront' then 'storefront'
    when key.scope = 'public' then 'public_scope'
    when key.allowed_ips is not null and not coalesce(client <<= any (key.allowed_ips), false) then 'ip_forbidden'
    else 'ok'
  end
$$;
comment on function core.api_key_verdict is
  'Whether a request with this key is admitted: ok, unauthorized, storefront, public_scope or ip_forbidden, the first that applies. '
  'Specification 5.';
