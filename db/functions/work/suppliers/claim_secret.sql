create or replace function work.claim_secret(supplier text, credential text, urls text[])
returns text
language plpgsql security definer set search_path = pg_catalog, pg_temp
as $$
begin
  insert into supply.secret_hosts (secret, hosts, supplier)
  select substr(credential, 5), core.hosts_of_urls(urls), claim_secret.supplier
  where credential like 'env:%' and not exists (
    select from supply.secret_hosts h where 'env:' || h.secret = credential)
  on conflict do nothing;
  -- guard: a secret goes only to the hosts that used its name first
  return core.other_owner_of_secret(credential, urls);
end
$$;
comment on function work.claim_secret is
  'Claims the setting that a token env:SUPPLIER_SECRET_… names for the hosts of these URLs, if none used it yet. Returns
null if the token belongs to them, else the hosts that it belongs to.
nullable: result';
