create or replace function core.add_api_key(
  account_id bigint, prefix text, scope text, starts_at timestamptz, expires_at timestamptz,
  allowed_origins text[], allowed_ips cidr[], rotated_from bigint default null, label text default null,
  out key text, out key_id bigint
)
language plpgsql set search_path = pg_catalog, pg_temp
as $$
begin
  key := prefix || encode(substr(core.random_bytes(), 1, 24), 'hex');
  insert into supply.api_keys as k
    (account_id, key_hash, prefix, last4, scope, starts_at, expires_at, allowed_origins, allowed_ips, rotated_from,
     label)
  values
    (add_api_key.account_id, sha256(convert_to(key, 'UTF8')), add_api_key.prefix, right(key, 4), add_api_key.scope,
     add_api_key.starts_at, add_api_key.expires_at, add_api_key.allowed_origins, add_api_key.allowed_ips,
     add_api_key.rotated_from, add_api_key.label)
  returning k.id into key_id;
end
$$;
comment on function core.add_api_key is
  'Creates an API key: the prefix and 48 hexadecimal characters. It keeps only the SHA-256; the result alone has the
key. Specification 2.1.';
