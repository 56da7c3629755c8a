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
  perform core.reclaim_slots();
  -- A worker tries to record a result for at most half a minute after its lease.
  perform core.lose_attempts(array(
    select e.id from supply.events e where e.state = 'sending' and e.lease_expires_at < now() - interval '30 s'
    order by e.id for no key update skip locked));
  perform core.queue_overdue();
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
    perform core.fill_slots(core.lock_slots(accounts));
  end if;
end
$$;
comment on function work.fill_slots is
  'Ends attempts whose lease ended long ago, takes back slots that nobody uses, and gives out slots that the end of an
attempt left free, because its worker died or another transaction had locked them. Ends the trials of hosts. Call it
every second from each worker; only one runs at a time.';
