create or replace function core.changed_supplier(
  before supply.suppliers, base_url text, token text, protocol text, push_secret text, token_url text, client_id text
)
returns supply.suppliers
language plpgsql immutable set search_path = pg_catalog, pg_temp
as $$
begin
  before.base_url := rtrim(base_url, '/');
  before.token := token;
  before.protocol := coalesce(protocol, before.protocol, 'http');
  before.push_secret := nullif(coalesce(push_secret, before.push_secret), '');
  before.token_url := nullif(coalesce(token_url, before.token_url), '');
  before.client_id := nullif(coalesce(client_id, before.client_id), '');
  return before;
end
$$;
comment on function core.changed_supplier is
  'Returns a supplier (before; null: a new one) with the values given, by the rules of ops.upsert_supplier.';
