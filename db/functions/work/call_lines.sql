create or replace function work.call_lines()
returns void
language plpgsql security definer set search_path = pg_catalog, pg_temp
as $$
declare
  accounts bigint[];
begin
  if not exists (select from core.jobs j where j.priority = core.line_priority() and j.is_available) then
    return;
  end if;
  with recursive waiting (account_id) as (
    select min(e.account_id) from supply.events e where e.state = 'waiting'
    union all
    select (select min(e.account_id) from supply.events e where e.state = 'waiting' and e.account_id > w.account_id)
    from waiting w where w.account_id is not null
  )
  select coalesce(array_agg(due.account_id), '{}') into accounts
  from (
    select w.account_id from waiting w
    where exists (
      select from supply.events e where e.account_id = w.account_id and e.state = 'waiting' and e.next_attempt_at <= now())
    offset 0
  ) as due
  -- Whoever holds the lock is about to call, or to fill the room.
  where pg_try_advisory_xact_lock(core.delivery_lock(due.account_id));
  perform core.call_line(accounts);
end
$$;
comment on function work.call_lines is
  'Calls events that stand in line of accounts that have room, where the end of an attempt did not: it came just before they were in line, or '
  'its worker died. Call it every second from each worker.';
revoke all on function work.call_lines from public;
grant execute on function work.call_lines to supply_worker;
