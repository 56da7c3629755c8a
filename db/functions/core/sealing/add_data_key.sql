create or replace function core.add_data_key(new_id text, new_fingerprint_key text, known_ids text[])
returns table (key_id text, fingerprint_key text)
language plpgsql set search_path = pg_catalog, pg_temp
as $$
begin
  if new_id is not null then
    lock table supply.data_keys in share row exclusive mode;
    insert into supply.data_keys (id, fingerprint_key)
    select new_id, new_fingerprint_key
    from (select array(select k.id from supply.data_keys k) as ids) as present
    where present.ids <@ known_ids and known_ids <@ present.ids
    on conflict do nothing;
  end if;
  return query select k.id, k.fingerprint_key from supply.data_keys k order by k.id;
end
$$;
comment on function core.add_data_key is
  'Registers a data key before a process seals with it, with the fingerprint key sealed under it. Nothing changes if
the registered keys are no longer known_ids, or if new_id is null. Returns all registered keys.';
