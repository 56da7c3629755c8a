-- Roles: owner
create or replace function ops.trust_supplier_host(code text)
returns void
language plpgsql security definer set search_path = pg_catalog, pg_temp
as $$
declare
  known supply.suppliers := core.lock_supplier(code);
  setting constant text := substring(known.token from '^env:(.*)');
  hosts constant text[] := core.hosts_of_urls(array[known.base_url, known.token_url]);
  before text[] := (select h.hosts from supply.secret_hosts h where h.secret = setting for update);
begin
  perform core.require(setting is not null,
    format('the token of supplier %s is no setting of the environment: it belongs to no host', known.code),
    'object_not_in_prerequisite_state', 'Only env:SUPPLIER_SECRET_… belongs to the host that used it first.');
  if before = hosts then
    raise notice '% already goes to %: nothing changed', setting, array_to_string(hosts, ' and ');
    return;
  end if;
  insert into supply.secret_hosts as h (secret, hosts, supplier) values (setting, hosts, known.code)
  on conflict on constraint secret_hosts_pkey do update
  set (hosts, supplier, claimed_at) = (excluded.hosts, excluded.supplier, now());
  update supply.suppliers s set trouble = null where s.code = known.code and s.trouble = 'settings';
  perform core.log_operator('trust_supplier_host', 'supplier ' || known.code,
    jsonb_build_object('secret', setting, 'before', before, 'after', hosts));
  raise notice 'the secret % goes to % from now on (before: %): no other host gets it', setting,
    array_to_string(hosts, ' and '), coalesce(array_to_string(before, ' and '), 'to none yet');
end
$$;
comment on function ops.trust_supplier_host is
  'Lets the secret that a supplier''s token names (env:SUPPLIER_SECRET_…) go to the hosts of its URL and token_url, and
no longer to those that used it before. SUPPLIER_HOST_… goes before that. Raises for a token in the database.';
