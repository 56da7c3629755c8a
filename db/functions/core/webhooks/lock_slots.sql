create or replace function core.lock_slots(account_ids bigint[], wait boolean default true)
returns bigint[]
language plpgsql set search_path = pg_catalog, pg_temp set plan_cache_mode = force_generic_plan
as $$
begin
  insert into supply.delivery_slots (account_id)
  select distinct a.id from unnest(account_ids) as a (id)
  where not exists (select from supply.delivery_slots s where s.account_id = a.id)
  order by a.id
  on conflict on constraint delivery_slots_pkey do nothing;
  if wait then
    return array(
      select s.account_id from supply.delivery_slots s where s.account_id = any (account_ids)
      order by s.account_id for no key update);
  end if;
  return array(
    select s.account_id from supply.delivery_slots s where s.account_id = any (account_ids)
    order by s.account_id for no key update skip locked);
end
$$;
comment on function core.lock_slots is
  'Locks the slots of accounts until the transaction ends, and returns those that it locked: all, or without waiting those that no other transaction holds. '
  'Call it after other rows are locked, and late: transactions of one account wait for each other here.';
