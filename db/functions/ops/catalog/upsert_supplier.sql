-- Roles: trade
create or replace function ops.upsert_supplier(
  code text, base_url text default null, token text default null, protocol text default null,
  push_secret text default null, token_url text default null, client_id text default null
)
returns void
language plpgsql security definer set search_path = pg_catalog, pg_temp
as $$
declare
  secret_rule constant text := ' must have 1 to 500 visible ASCII characters, or be env: and a setting whose name '
    'begins with SUPPLIER_SECRET_';
  secrets constant text[] := array['token', 'push_secret'];
  before supply.suppliers;
  after supply.suppliers;
  lists_offers boolean;
  is_own boolean;
begin
  -- Two logins may create it at once: the second one changes it.
  perform pg_advisory_xact_lock(hashtextextended('supplier ' || code, 0))
  where not exists (select from supply.suppliers s where s.code = upsert_supplier.code);
  is_own := coalesce(protocol, (select s.protocol from supply.suppliers s where s.code = upsert_supplier.code))
    = 'stock';
  perform core.require(code ~ '^[A-Za-z0-9][A-Za-z0-9_-]{0,49}$',
    'code must have 1 to 50 Latin letters, digits, dashes and underscores');
  perform core.require(is_own is not true or coalesce(base_url, token, push_secret, token_url, client_id) is null,
    'a supplier of the protocol stock has no base_url, token or other address: its codes are here');
  perform core.require(
    is_own or base_url ~ '^https?://[^/?#@[:space:]]+(/[^?#[:space:]]*)?$' and length(base_url) <= 500,
    'base_url must be an http or https URL without credentials, query or fragment');
  perform core.require(is_own or core.is_credential(token), 'token' || secret_rule);
  perform core.require(coalesce(push_secret = '' or core.is_credential(push_secret), true),
    'push_secret' || secret_rule || '; empty: there is none');
  perform core.require(
    coalesce(token_url ~ '^(https?://[^/?#@[:space:]]+(/[^#[:space:]]*)?)?$' and length(token_url) <= 500, true),
    'token_url must be an http or https URL without credentials or fragment; empty: there is none');
  perform core.require(coalesce(client_id ~ '^[!-~]*$' and length(client_id) <= 500, true),
    'client_id must have 1 to 500 visible ASCII characters; empty: there is none');

  select s.* into before from supply.suppliers s where s.code = upsert_supplier.code;
  after := core.changed_supplier(before, base_url, token, protocol, push_secret, token_url, client_id);
  if after is distinct from before then
    -- The sync is locked before the supplier, as in work.finish_sync.
    perform 1 from supply.supplier_syncs y where y.supplier = upsert_supplier.code for update;
    select s.* into before from supply.suppliers s where s.code = upsert_supplier.code for no key update;
    after := core.changed_supplier(before, base_url, token, protocol, push_secret, token_url, client_id);
  end if;
  select p.lists_offers into lists_offers from supply.protocols p where p.name = after.protocol;
  perform core.require(found, format('protocol must be one of %s', (
    select string_agg(p.name, ', ' order by p.name) from supply.protocols p)));
  perform core.require((after.token_url is null) = (after.client_id is null),
    'token_url and client_id must be given together');
  if after is not distinct from before then
    raise notice 'supplier % has these values already: nothing changed', code;
    return;
  end if;

  perform core.require(before.protocol is null or (before.protocol = 'stock') = (after.protocol = 'stock'),
    format('supplier %s has the protocol %s: its items and codes would be lost', code, before.protocol),
    'object_not_in_prerequisite_state', 'Create another supplier, and give its offers another priority.');
  if after.protocol is distinct from before.protocol then
    after.sync_every := case when lists_offers then interval '15 minutes' end;
    after.sync_due_at := case when lists_offers then now() end;
  end if;
  insert into supply.suppliers as s (code, base_url, token, protocol, push_secret, token_url, client_id, sync_every,
    sync_due_at)
  values (upsert_supplier.code, after.base_url, after.token, after.protocol, after.push_secret, after.token_url,
    after.client_id, after.sync_every, after.sync_due_at)
  on conflict on constraint suppliers_pkey do update set
    (base_url, token, protocol, push_secret, token_url, client_id, sync_every, sync_due_at, updated_at)
    = (excluded.base_url, excluded.token, excluded.protocol, excluded.push_secret, excluded.token_url,
      excluded.client_id, excluded.sync_every, excluded.sync_due_at, now());
  insert into supply.supplier_places (supplier) values (upsert_supplier.code) on conflict do nothing;
  -- A read under way may be of the previous list.
  update supply.supplier_syncs y set lease_token = null, lease_expires_at = null
  where y.supplier = upsert_supplier.code;
  if before.protocol <> after.protocol then
    perform core.forget_list(code);
  end if;
  -- It may be the balance of another account.
  delete from supply.supplier_balances b
  where b.supplier = upsert_supplier.code
    and (before.protocol, before.base_url, before.token) is distinct from (after.protocol, after.base_url, after.token);
  -- guard: a token that an operator typed is sealed
  perform core.request_sealing();
  perform core.log_operator('upsert_supplier', 'supplier ' || code, jsonb_strip_nulls(jsonb_build_object(
    'base_url', after.base_url, 'protocol', after.protocol, 'token_url', after.token_url, 'client_id',
    after.client_id)) || case when before.code is null then '{}'
      else core.values_before(to_jsonb(before) - secrets, to_jsonb(after)) end);
  raise notice 'supplier % is %: protocol %, at %', code,
    case when before.code is null then 'created' else 'changed' end, after.protocol, concat(
      coalesce(after.base_url, 'home: ops.load_codes fills it'),
      case when before.code is not null then format(' (changed: %s)', concat_ws(', ',
        core.changed_columns(to_jsonb(before) - secrets, to_jsonb(after) - secrets), case
          when (before.token, before.push_secret) is distinct from (after.token, after.push_secret)
          then 'its secrets' end)) end);
end
$$;
comment on function ops.upsert_supplier is
  'Creates a supplier or changes the one with the code. token: its credential; with http also the HMAC key of its
pushes. push_secret: of the events that it pushes. token_url, client_id: how token gets an access token. token and
push_secret may be env:SUPPLIER_SECRET_…. protocol stock: none of these. The last four: null keeps, '''' clears.';
