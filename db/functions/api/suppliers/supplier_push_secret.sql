create or replace function api.supplier_push_secret(supplier text)
returns table (protocol text, push_secret text)
language sql stable security definer set search_path = pg_catalog, pg_temp
as $$
  select s.protocol, s.push_secret
  from supply.suppliers s join supply.protocols p on p.name = s.protocol
  where s.code = supplier_push_secret.supplier and p.pushes = 'events' and s.push_secret is not null
$$;
comment on function api.supplier_push_secret is
  'Returns the protocol of a supplier that pushes events, and the secret of the events as it was set (env:NAME: a
setting of the process). No row: there is no such supplier.';
