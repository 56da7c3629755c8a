create or replace function core.is_credential(value text)
returns boolean
language sql immutable set search_path = pg_catalog, pg_temp
as $$
  select coalesce(
    value ~ '^[!-~]+$' and length(value) <= 500 and value not like 'sealed:%'
    and (value not like 'env:%' or value ~ '^env:SUPPLIER_SECRET_[A-Z0-9_]{1,80}$'), false)
$$;
comment on function core.is_credential is
  'Returns whether a supplier''s token or secret is valid: 1 to 500 visible ASCII characters, or env: and a setting
SUPPLIER_SECRET_….';
