-- Roles: support
create or replace function ops.replace_leaked_key(key text, since timestamptz default null)
returns text
language plpgsql security definer set search_path = pg_catalog, pg_temp
as $$
declare
  leaked_id bigint := (
    select k.id from supply.api_keys k where k.key_hash = sha256(convert_to(trim(replace_leaked_key.key), 'UTF8')));
  leaked supply.api_keys;
  added supply.api_keys;
  issued record;
  placed record;
begin
  perform core.require(leaked_id is not null, 'no API key was issued with this text', 'no_data_found',
    'Give the whole key. By its last four characters: select * from ops.api_keys where last4 = ''…'', then '
      'ops.revoke_key.');
  leaked := core.lock_api_key(leaked_id);
  perform core.require(leaked.revoked_at is null,
    format('key %s was revoked on %s: nobody can use it', leaked.id, leaked.revoked_at),
    'object_not_in_prerequisite_state', format('A further key: select ops.issue_key(%s)', leaked.account_id));
  added := leaked;
  added.starts_at := now();
  added.expires_at := case when leaked.expires_at > now() then leaked.expires_at end;
  added.rotated_from := leaked.id;
  select a.* into issued from core.add_api_key(added) a;
  update supply.api_keys k set revoked_at = now() where k.id = leaked.id;
  perform core.log_operator('replace_leaked_key', 'key ' || leaked.id, jsonb_build_object('new_key_id', issued.key_id));
  raise notice 'key % (…%) is revoked, key % replaces it', leaked.id, leaked.last4, issued.key_id;
  -- The time of the last use is recorded to the minute.
  raise notice 'the old key of account % (%) worked since %; %', leaked.account_id,
    (select a.name from supply.accounts a where a.id = leaked.account_id),
    to_char(leaked.created_at, 'YYYY-MM-DD HH24:MI TZH'), coalesce('its last request came at about '
      || to_char(leaked.last_used_at, 'YYYY-MM-DD HH24:MI TZH'), 'no request came with it');
  select count(*) as orders, coalesce(sum(o.total_amount), 0) as amount, min(o.currency) as currency into placed
  from ops.key_orders(leaked.id, replace_leaked_key.since) o;
  raise notice 'the old key placed % orders for % since %: select * from ops.key_orders(%)', placed.orders,
    concat_ws(' ', placed.amount, placed.currency),
    coalesce(replace_leaked_key.since, leaked.created_at)::timestamptz(0), leaked.id;
  return issued.key;
end
$$;
comment on function ops.replace_leaked_key is
  'Revokes a leaked key, given whole, and returns its replacement, shown only once, with the same label, scope,
allowlists and expiry. Notices show the key''s account, its last use, and its orders since a time (null: all). Raises
for an unknown key, and for one that is already revoked.';
