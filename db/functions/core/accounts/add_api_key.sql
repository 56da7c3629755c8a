create or replace function core.add_api_key(described supply.api_keys, out key text, out key_id bigint)
language plpgsql set search_path = pg_catalog, pg_temp
as $$
begin
  key := (described).prefix || encode(substr(core.random_bytes(), 1, 24), 'hex');
  insert into supply.api_keys as k
    (account_id, key_hash, prefix, last4, scope, starts_at, expires_at, allowed_origins, allowed_ips, rotated_from,
     first_key_id, label)
  select d.account_id, sha256(convert_to(key, 'UTF8')), d.prefix, right(key, 4), d.scope, d.starts_at, d.expires_at,
    d.allowed_origins, d.allowed_ips, d.rotated_from,
    (select coalesce(k.first_key_id, k.id) from supply.api_keys k where k.id = d.rotated_from), d.label
  from (select (described).*) as d
  returning k.id into key_id;
end
$$;
comment on function core.add_api_key is
  'Creates an API key with what the row describes: the prefix and 48 hexadecimal characters. It keeps only the SHA-256;
the result alone has the key. Specification 2.1.';
