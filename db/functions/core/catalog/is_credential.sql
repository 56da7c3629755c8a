create or replace function core.is_credential(value text)
returns boolean
language sql immutable set search_path = pg_catalog, pg_temp
as $$
  select coalesce(value ~ '^[!-~]+$' and length(value) <= 500 and (value not like 'env:%' or value ~ '^env:[A-Z][A-Z0-9_]*$'), false)
$$;
comment on function core.is_credential is
  'Whether a supplier''s token or secret may be this: 1 to 500 visible ASCII characters, or env: and the name of a setting.';
