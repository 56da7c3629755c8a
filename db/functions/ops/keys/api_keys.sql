create or replace view ops.api_keys as
select
  k.id as key_id,
  k.account_id,
  k.prefix,
  k.last4,
  k.scope,
  k.revoked_at is null and k.starts_at <= now() and (k.expires_at is null or k.expires_at > now()) as active,
  k.expires_at,
  k.last_used_at,
  k.starts_at,
  k.revoked_at,
  k.allowed_origins,
  k.allowed_ips,
  k.rotated_from,
  k.created_at
from supply.api_keys k;
comment on view ops.api_keys is 'The API keys; of a key itself only its prefix and last four characters.';
comment on column ops.api_keys.key_id is 'The key number.';
comment on column ops.api_keys.account_id is 'The account that it spends.';
comment on column ops.api_keys.prefix is 'svc_live_ or svc_test_, as it was issued.';
comment on column ops.api_keys.last4 is 'Its last four characters.';
comment on column ops.api_keys.scope is 'full, or public: refused on partner endpoints.';
comment on column ops.api_keys.active is 'Whether it works now, if its account is active.';
comment on column ops.api_keys.expires_at is 'It does not work from then on; null: no end.';
comment on column ops.api_keys.last_used_at is 'When it was last used, to the minute.';
comment on column ops.api_keys.starts_at is 'It does not work before.';
comment on column ops.api_keys.revoked_at is 'When it was revoked.';
comment on column ops.api_keys.allowed_origins is 'Allowed Origin values; null: any.';
comment on column ops.api_keys.allowed_ips is 'Networks from which it may be used; null: any.';
comment on column ops.api_keys.rotated_from is 'The key that it replaces.';
comment on column ops.api_keys.created_at is 'When it was issued.';
