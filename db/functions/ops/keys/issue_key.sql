-- Roles: support
create or replace function ops.issue_key(
  account_id anycompatible, scope text default 'full', expires_at timestamptz default null,
  allowed_origins text[] default null, allowed_ips cidr[] default null, label text default null
)
returns text
language plpgsql security definer set search_path = pg_catalog, pg_temp
as $$
declare
  account supply.accounts := core.lock_account(account_id);
  added supply.api_keys;
  issued record;
begin
  perform core.require(scope in ('full', 'public'), 'scope must be full or public');
  perform core.require(label is null or length(trim(label)) between 1 and 100,
    'label must have 1 to 100 characters, or be null');
  added.account_id := account.id;
  added.prefix := case account.mode when 'test' then 'svc_test_' else 'svc_live_' end;
  added.scope := scope;
  added.starts_at := now();
  added.expires_at := expires_at;
  added.allowed_origins := core.clean_origins(allowed_origins);
  added.allowed_ips := core.clean_networks(allowed_ips);
  added.label := trim(label);
  select a.* into issued from core.add_api_key(added) a;
  perform core.log_operator('issue_key', 'key ' || issued.key_id, jsonb_build_object(
    'account_id', account.id, 'scope', scope, 'expires_at', expires_at, 'allowed_origins', added.allowed_origins,
    'allowed_ips', added.allowed_ips, 'label', added.label));
  raise notice 'key % of account % (%)', issued.key_id, account.id, account.name;
  return issued.key;
end
$$;
comment on function ops.issue_key is
  'Issues an API key and returns it. It is shown only once; only its SHA-256 is kept. A notice shows its number. scope:
full, or public (refused on partner endpoints). label: the operators'' name for it. allowed_origins: host, *.host or
whole origin; allowed_ips: networks; null means any. Specification 2.1.';
