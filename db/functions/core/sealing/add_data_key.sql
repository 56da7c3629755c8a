create or replace function core.add_data_key(
  new_id text, new_fingerprint_key text, known_ids text[], proof text, may_be_first boolean
)
returns table (key_id text, fingerprint_key text)
language plpgsql set search_path = pg_catalog, pg_temp
as $$
declare
  given_hash constant bytea := sha256(convert_to(proof, 'UTF8'));
begin
  if new_id is not null then
    lock table supply.data_keys in share row exclusive mode;
    perform core.refuse_closed_keys(array[new_fingerprint_key]);
    insert into supply.data_keys (id, fingerprint_key, proof_hash)
    select new_id, new_fingerprint_key, given_hash
    from (select array(select k.id from supply.data_keys k where k.retired_at is null) as ids) as present
    where present.ids <@ known_ids and known_ids <@ present.ids
      -- No process starts without a registered key, so a login that has none of the keys must not register one.
      and case when present.ids = '{}' then may_be_first
        else exists (select from supply.data_keys k where k.proof_hash = given_hash) end
    on conflict do nothing;
    -- Also what was loaded before the first key is compared with what is sealed, before it is sold
    update supply.stock_codes c set state = 'unsealed'
    where found and known_ids = '{}' and c.state = 'free' and c.code not like 'sealed:%';
    perform core.request_sealing() where found;
  end if;
  return query select k.id, k.fingerprint_key from supply.data_keys k where k.retired_at is null order by k.id;
end
$$;
comment on function core.add_data_key is
  'Registers a data key before a process seals with it, with the sealed fingerprint key; KYCLS: it is closed. Nothing
changes if known_ids are no longer all keys, if new_id is null, without the proof (a text made of the fingerprint key)
of the first one, or for a first key if not may_be_first. Returns all keys that are not retired.';
