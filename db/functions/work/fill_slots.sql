create or replace function work.fill_slots()
returns void
language plpgsql security definer set search_path = pg_catalog, pg_temp
as $$
declare
  accounts bigint[];
begin
  if not core.begin_periodic_task('fill_slots') then
    return;
  end if;
  perform core.restore_events();
  perform core.end_trials();
  with recursive backlog (account_id) as (
    (select e.account_id from supply.events e where e.state = 'queued' order by e.account_id limit 1)
    union all
    select (
      select e.account_id from supply.events e where e.state = 'queued' and e.account_id > b.account_id
      order by e.account_id limit 1)
    from backlog b where b.account_id is not null
  )
  select coalesce(array_agg(b.account_id), '{}') into accounts
  from backlog b
  where b.account_id is not null
    and (select count(*) from core.taken_slots t where t.account_id = b.account_id)
      < (select s.slots from supply.delivery_slots s where s.account_id = b.account_id);
  if cardinality(accounts) > 0 then
    perform core.fill_slots(core.lock_briefly('delivery_slots', accounts));
  end if;
end
$$;
comment on function work.fill_slots is
  'Restores events without a job (core.restore_events), gives out slots that the end of an attempt left free, because
its worker died or another transaction had locked them, and ends the trials of hosts. Call it every second from each
worker; only one runs at a time.';
