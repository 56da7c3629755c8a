create or replace function core.named_uuid(name text)
returns uuid
language plpgsql immutable strict parallel safe set search_path = pg_catalog, pg_temp
as $$
declare
  digest constant bytea := substr(sha256(convert_to(name, 'UTF8')), 1, 16);
begin
  return encode(
    set_byte(set_byte(digest, 6, (get_byte(digest, 6) & 15) | 128), 8, (get_byte(digest, 8) & 63) | 128), 'hex')::uuid;
end
$$;
comment on function core.named_uuid is
  'Returns a UUID (version 8, RFC 9562) that is made from a name: the same name always has the same UUID.';
