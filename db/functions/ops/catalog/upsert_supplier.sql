create or replace function ops.upsert_supplier(code text, base_url text, token text, protocol text default 'http')
returns void
language plpgsql security definer set search_path = pg_catalog, pg_temp
as $$
declare
  hint text;
begin
  perform core.require(upsert_supplier.code ~ '^[A-Za-z0-9][A-Za-z0-9_-]{0,49}$',
    'code must have 1 to 50 Latin letters, digits, dashes and underscores');
  perform core.require(
    upsert_supplier.base_url ~ '^https?://[^/?#@[:space:]]+(/[^?#[:space:]]*)?$' and length(upsert_supplier.base_url) <= 500,
    'base_url must be an http or https URL without credentials, query or fragment');
  perform core.require(upsert_supplier.token ~ '^[!-~]+$' and length(upsert_supplier.token) <= 500,
    'token must have 1 to 500 visible ASCII characters');
  perform core.require(upsert_supplier.protocol ~ '^[a-z][a-z0-9_-]{0,49}$',
    'protocol must be the name of an adapter, such as http');

  insert into supply.suppliers as s (code, base_url, token, protocol)
  values (upsert_supplier.code, rtrim(upsert_supplier.base_url, '/'), upsert_supplier.token, upsert_supplier.protocol)
  on conflict on constraint suppliers_pkey do update
    set base_url = excluded.base_url, token = excluded.token, protocol = excluded.protocol, updated_at = now()
    where (s.base_url, s.token, s.protocol) is distinct from (excluded.base_url, excluded.token, excluded.protocol);
  if found then
    perform core.log_operator('upsert_supplier', 'supplier ' || code, jsonb_build_object(
      'base_url', rtrim(base_url, '/'), 'protocol', protocol));
  end if;
exception
  when invalid_parameter_value or no_data_found or object_not_in_prerequisite_state or unique_violation or check_violation then
    get stacked diagnostics hint = pg_exception_hint;
    raise exception using errcode = sqlstate, message = sqlerrm, hint = core.hint_for('upsert_supplier', hint);
end
$$;
comment on function ops.upsert_supplier is
  'Makes an active supplier, or changes the one with the code to what is given. base_url is where its API begins; '
  'token is the bearer token of calls to it and the HMAC key of its pushes. Calls from now on use the new values, '
  'also for items that it has already.';
