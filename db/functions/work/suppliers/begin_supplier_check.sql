create or replace function work.begin_supplier_check(check_id uuid)
returns table (
  supplier text, protocol text, base_url text, token text, token_url text, client_id text
)
language sql stable security definer set search_path = pg_catalog, pg_temp
as $$
  select s.code, s.protocol, s.base_url, s.token, s.token_url, s.client_id
  from supply.supplier_checks c join supply.suppliers s on s.code = c.supplier
  where c.id = check_id and c.answered_at is null
$$;
comment on function work.begin_supplier_check is
  'Returns the supplier that an operator wants checked (ops.check_supplier). No row: a later check took its place, or
it was done.
nullable: token_url, client_id';
