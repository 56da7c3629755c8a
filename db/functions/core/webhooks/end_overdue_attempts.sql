create or replace function core.end_overdue_attempts()
returns void
language plpgsql set search_path = pg_catalog, pg_temp
as $$
declare
  lost record;
begin
  select array_agg(e.id) as events, array_agg(e.lease_expires_at) as ended_at, coalesce(array_agg(e.account_id), '{}') as accounts, count(*)::int as number
  into lost
  from (
    select e.id, e.account_id, e.lease_expires_at from supply.events e
    -- The first condition is that of the index. Half a minute after the lease no worker tries to record its result any more.
    where e.state in ('ready', 'sending') and e.state = 'sending' and e.lease_expires_at < now() - interval '30 s'
    order by e.id for no key update skip locked
  ) as e;
  if lost.number > 0 then
    perform core.end_attempts(lost.events, array_fill('lost'::text, array[lost.number]), lost.ended_at);
    perform core.return_slots(lost.accounts, array_fill(0, array[lost.number]));
  end if;
end
$$;
comment on function core.end_overdue_attempts is
  'Ends delivery attempts whose lease ended 30 s ago, whatever became of their jobs: they count as lost, and their next rung is planned.';
