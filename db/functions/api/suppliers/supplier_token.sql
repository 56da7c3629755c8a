create or replace function api.supplier_token(supplier text)
returns table (token text, pushes_results boolean, base_url text, token_url text, belongs_to text)
language sql stable security definer set search_path = pg_catalog, pg_temp
as $$
  select s.token, p.pushes is not distinct from 'results', s.base_url, s.token_url,
    core.other_owner_of_secret(s.token, array[s.base_url, s.token_url])
  from supply.suppliers s join supply.protocols p on p.name = s.protocol
  where s.code = supplier_token.supplier
$$;
comment on function api.supplier_token is
  'Returns the token with which a supplier signs the results that it pushes, and whether its protocol pushes results.
belongs_to: the hosts of its setting, if the supplier is at others. No row: there is no such supplier.
nullable: token_url, belongs_to';
