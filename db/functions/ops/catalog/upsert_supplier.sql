create or replace function ops.upsert_supplier(
  code text, base_url text, token text, protocol text default null,
  push_secret text default null, token_url text default null, client_id text default null
)
returns void
language plpgsql security definer set search_path = pg_catalog, pg_temp
as $$
declare
  known supply.suppliers;
  spoken supply.protocols;
begin
  perform core.require(upsert_supplier.code ~ '^[A-Za-z0-9][A-Za-z0-9_-]{0,49}$',
    'code must have 1 to 50 Latin letters, digits, dashes and underscores');
  perform core.require(
    upsert_supplier.base_url ~ '^https?://[^/?#@[:space:]]+(/[^?#[:space:]]*)?$'
      and length(upsert_supplier.base_url) <= 500,
    'base_url must be an http or https URL without credentials, query or fragment');
  perform core.require(core.is_credential(upsert_supplier.token),
    'token must have 1 to 500 visible ASCII characters, or be env: and a setting whose name begins with '
      'SUPPLIER_SECRET_');
  perform core.require(coalesce(upsert_supplier.push_secret = '' or core.is_credential(upsert_supplier.push_secret),
    true),
    'push_secret must have 1 to 500 visible ASCII characters, or be env: and a setting whose name begins with '
      'SUPPLIER_SECRET_; empty: there is none');
  perform core.require(
    coalesce(upsert_supplier.token_url ~ '^(https?://[^/?#@[:space:]]+(/[^#[:space:]]*)?)?$'
      and length(upsert_supplier.token_url) <= 500, true),
    'token_url must be an http or https URL without credentials or fragment; empty: there is none');
  perform core.require(coalesce(upsert_supplier.client_id ~ '^[!-~]*$' and length(upsert_supplier.client_id) <= 500,
    true),
    'client_id must have 1 to 500 visible ASCII characters; empty: there is none');

  -- First the reading, as work.finish_sync: it then waits for its supplier.
  perform 1 from supply.supplier_syncs y where y.supplier = upsert_supplier.code for update;
  select s.* into known from supply.suppliers s where s.code = upsert_supplier.code for no key update;
  protocol := coalesce(upsert_supplier.protocol, known.protocol, 'http');
  push_secret := nullif(coalesce(upsert_supplier.push_secret, known.push_secret), '');
  token_url := nullif(coalesce(upsert_supplier.token_url, known.token_url), '');
  client_id := nullif(coalesce(upsert_supplier.client_id, known.client_id), '');
  select p.* into spoken from supply.protocols p where p.name = upsert_supplier.protocol;
  perform core.require(found, format('protocol must be one of %s', (select string_agg(p.name, ', ' order by p.name)
    from supply.protocols p)));
  perform core.require((upsert_supplier.token_url is null) = (upsert_supplier.client_id is null),
    'token_url and client_id must be given together');

  insert into supply.suppliers as s (code, base_url, token, protocol, push_secret, token_url, client_id, sync_every,
    sync_due_at)
  values (upsert_supplier.code, rtrim(upsert_supplier.base_url, '/'), upsert_supplier.token, upsert_supplier.protocol,
    upsert_supplier.push_secret, upsert_supplier.token_url, upsert_supplier.client_id,
    case when spoken.lists_offers then interval '15 minutes' end, case when spoken.lists_offers then now() end)
  on conflict on constraint suppliers_pkey do update
    set base_url = excluded.base_url, token = excluded.token, protocol = excluded.protocol,
      push_secret = excluded.push_secret,
      token_url = excluded.token_url, client_id = excluded.client_id, updated_at = now(),
      sync_every = case when s.protocol = excluded.protocol then s.sync_every else excluded.sync_every end,
      sync_due_at = case when s.protocol = excluded.protocol then s.sync_due_at else excluded.sync_due_at end
    where (s.base_url, s.token, s.protocol, s.push_secret, s.token_url, s.client_id) is distinct from
      (excluded.base_url, excluded.token, excluded.protocol, excluded.push_secret, excluded.token_url,
        excluded.client_id);
  if found then
    -- What is being read now may be of another one.
    update supply.supplier_syncs y set lease_token = null, lease_expires_at = null
      where y.supplier = upsert_supplier.code;
    if known.protocol <> upsert_supplier.protocol then
      perform core.forget_list(code);
    end if;
    -- guard: a token that an operator typed is sealed
    perform core.request_sealing();
    perform core.log_operator('upsert_supplier', 'supplier ' || code, jsonb_strip_nulls(jsonb_build_object(
      'base_url', rtrim(base_url, '/'), 'protocol', protocol, 'token_url', token_url, 'client_id', client_id)));
    raise notice 'supplier % is %: protocol %, at %', code, case when known.code is null then 'made' else 'changed' end,
      protocol, rtrim(base_url, '/');
  else
    raise notice 'supplier % has these values already: nothing changed', code;
  end if;
end
$$;
comment on function ops.upsert_supplier is
  'Creates a supplier or changes the one with the code. token: its credential; with http also the HMAC key of its
pushes. push_secret: of the events that it pushes. token_url and client_id: how token gets an access token. token and
push_secret may be env:SUPPLIER_SECRET_…. The last four: null keeps, '''' clears (not protocol).';
