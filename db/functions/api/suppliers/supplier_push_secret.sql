create or replace function api.supplier_push_secret(supplier text)
returns table (protocol text, push_secret text, base_url text, token_url text, belongs_to text)
language sql stable security definer set search_path = pg_catalog, pg_temp
as $$
  select s.protocol, s.push_secret, s.base_url, s.token_url,
    core.other_owner_of_secret(s.push_secret, array[s.base_url, s.token_url])
  from supply.suppliers s join supply.protocols p on p.name = s.protocol
  where s.code = supplier_push_secret.supplier and p.pushes = 'events' and s.push_secret is not null
$$;
comment on function api.supplier_push_secret is
  'Returns the protocol of a supplier that pushes events, and the secret of the events as it was set (env:NAME: a
setting of the process). belongs_to: the hosts of that setting, if the supplier is at others. No row: there is none.
nullable: token_url, belongs_to';
