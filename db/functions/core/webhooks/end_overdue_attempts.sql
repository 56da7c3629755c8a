create or replace function core.end_overdue_attempts()
returns void
language plpgsql set search_path = pg_catalog, pg_temp
as $$
declare
  lost constant supply.delivery_result[] := core.lost_attempts(array(
    select e.id from supply.events e
    -- The first condition is that of the index. Half a minute after the lease no worker tries to record its result any more.
    where e.state in ('ready', 'sending') and e.state = 'sending' and e.lease_expires_at < now() - interval '30 s'
    order by e.id for no key update skip locked));
begin
  perform core.end_attempts(lost);
  perform core.return_slots(lost);
end
$$;
comment on function core.end_overdue_attempts is
  'Ends delivery attempts whose lease ended 30 s ago, whether their jobs ran or not: they count as lost, and their next rung is planned.';
