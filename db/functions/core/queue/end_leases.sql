create or replace function core.end_leases(pools text[])
returns void
language plpgsql set search_path = pg_catalog, pg_temp
as $$
declare
  subjects uuid[] := array(
    select distinct j.subject from core.jobs j
    where not j.is_available and j.locked_by = any (pools) and j.subject is not null and j.task <> 'alert_operators'
    -- A later job of the same subject may be under way in a pool that lives: the lease is its own.
    and not exists (select from core.jobs o where not o.is_available and o.subject = j.subject and o.locked_by <> all (pools)));
  lost record;
begin
  with ended as (
    select i.id from supply.order_items i
    where i.id = any (subjects) and i.completed_at is null and i.lease_expires_at > now()
    -- Whoever has a lock is recording the call at this moment.
    order by i.id for no key update skip locked
  )
  update supply.order_items i set lease_token = null, lease_expires_at = null, next_check_at = now()
  from ended where i.id = ended.id;

  select coalesce(array_agg(e.id), '{}') as events, coalesce(array_agg(e.account_id), '{}') as accounts, count(*)::int as number into lost
  from (
    select e.id, e.account_id from supply.events e
    -- The first condition is that of the index.
    where e.state in ('ready', 'sending') and e.state = 'sending' and e.lease_expires_at > now()
      and (e.id = any (subjects) or e.leased_by = any (pools))
    order by e.id for no key update skip locked
  ) as e;
  if lost.number > 0 then
    perform core.end_attempts(lost.events, array_fill('lost'::text, array[lost.number]), array_fill(now(), array[lost.number]));
    perform core.return_slots(lost.accounts, array_fill(0, array[lost.number]));
  end if;
end
$$;
comment on function core.end_leases is
  'Ends the leases of dead pools before they run out: those of the jobs that the pools still have locked, and those of first attempts without a job. '
  'An item is asked for at once; an attempt counts as lost, and its next rung is planned. The fencing token is gone, so that the pool records nothing more.';
