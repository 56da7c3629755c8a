create or replace function api.supplier_token(supplier text)
returns table (token text, pushes_results boolean)
language sql stable security definer set search_path = pg_catalog, pg_temp
as $$
  select s.token, p.pushes is not distinct from 'results'
  from supply.suppliers s join supply.protocols p on p.name = s.protocol
  where s.code = supplier_token.supplier
$$;
comment on function api.supplier_token is
  'Returns the token with which a supplier signs the results that it pushes, and whether its protocol pushes results.
No row: there is no such supplier.';
