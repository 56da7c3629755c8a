create or replace view ops.api_keys as
select k.id as key_id, k.account_id, k.prefix, k.last4, k.scope,
  k.revoked_at is null and k.starts_at <= now() and (k.expires_at is null or k.expires_at > now()) as active,
  k.expires_at, k.last_used_at, k.label, k.starts_at, k.revoked_at, k.allowed_origins, k.allowed_ips, k.rotated_from,
  k.created_at
from supply.api_keys k;
comment on view ops.api_keys is 'The API keys, each with its prefix and last four characters only.';
comment on column ops.api_keys.key_id is 'The key number.';
comment on column ops.api_keys.active is 'Whether it works now, provided that its account is active.';
