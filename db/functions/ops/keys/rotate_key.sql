-- Roles: support
create or replace function ops.rotate_key(
  key_id anycompatible, overlap interval default '24 hours', at timestamptz default now()
)
returns text
language plpgsql security definer set search_path = pg_catalog, pg_temp
as $$
declare
  old supply.api_keys := core.lock_api_key(key_id);
  added supply.api_keys := old;
  issued record;
begin
  perform core.require(rotate_key.at is not null and overlap >= interval '0',
    'at must be given, and overlap must not be negative');
  perform core.require(old.revoked_at is null, format('key %s is revoked: issue a new one', old.id),
    'object_not_in_prerequisite_state');
  perform core.require(coalesce(old.expires_at > rotate_key.at, true),
    format('key %s expires at %s, and so would its replacement: issue a new one', old.id, old.expires_at),
    'object_not_in_prerequisite_state');
  perform core.require(false, format('key %s was rotated already: rotate its replacement, key %s', old.id, k.id),
    'object_not_in_prerequisite_state')
  from supply.api_keys k where k.rotated_from = old.id and k.revoked_at is null;

  added.starts_at := rotate_key.at;
  added.rotated_from := old.id;
  select a.* into issued from core.add_api_key(added) a;
  update supply.api_keys k set expires_at = least(k.expires_at, rotate_key.at + overlap) where k.id = old.id;
  perform core.log_operator('rotate_key', 'key ' || old.id, jsonb_build_object(
    'new_key_id', issued.key_id, 'overlap', overlap, 'at', rotate_key.at,
    'expires_at', least(old.expires_at, rotate_key.at + overlap), 'before', old.expires_at));
  raise notice 'key % replaces key %, which works until % (before: %)', issued.key_id, old.id,
    least(old.expires_at, rotate_key.at + overlap)::timestamptz(0),
    coalesce('until ' || old.expires_at::timestamptz(0), 'without an end');
  return issued.key;
end
$$;
comment on function ops.rotate_key is
  'Issues a replacement of a key and returns it, shown only once: the same prefix, label, scope, allowlists and expiry,
valid from at. The old key works until overlap after that, at most until its own expiry. A notice shows its number.
Raises for a key that is revoked, already rotated, or expired by then. Specification 2.1.';
