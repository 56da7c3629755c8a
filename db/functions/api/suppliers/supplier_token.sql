create or replace function api.supplier_token(supplier text)
returns text
language sql stable security definer set search_path = pg_catalog, pg_temp
as $$
  select s.token from supply.suppliers s where s.code = supplier_token.supplier
$$;
comment on function api.supplier_token is 'The token with which a supplier signs the results it pushes; null if there is no such supplier.';
