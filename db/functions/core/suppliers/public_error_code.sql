create or replace function core.public_error_code(error_code text)
returns text
language sql immutable set search_path = pg_catalog, pg_temp
as $$
  select case
    when error_code ~ '^[A-Z][A-Z0-9_]{0,63}$' and not core.looks_secret(replace(error_code, '_', ' ')) then error_code
    when error_code is not null then 'SUPPLIER_ERROR'
  end
$$;
comment on function core.public_error_code is
  'Returns a supplier''s errorCode as partners see it: itself if it is an identifier and no secret, SUPPLIER_ERROR for
any other text, null of null.';
