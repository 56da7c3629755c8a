create or replace function core.api_key_is_valid(key_id bigint, account_id bigint)
returns boolean
language sql stable set search_path = pg_catalog, pg_temp
as $$
  select exists (
    select from supply.api_keys k
    where k.id = api_key_is_valid.key_id and k.account_id = api_key_is_valid.account_id
      and k.revoked_at is null and k.starts_at <= now() and (k.expires_at is null or k.expires_at > now())
  )
$$;
comment on function core.api_key_is_valid is 'Returns whether the key belongs to the account and works now.';
