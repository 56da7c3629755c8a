create or replace function core.end_leases(pools text[])
returns uuid[]
language plpgsql set search_path = pg_catalog, pg_temp
as $$
declare
  subjects uuid[] := array(
    select distinct j.subject from core.jobs j
    where not j.is_available and j.locked_by = any (pools) and j.subject is not null and j.task <> 'alert_operators'
      -- A live pool may run a later job of the same subject: the lease is its own.
      and not exists (
        select from core.jobs o where not o.is_available and o.subject = j.subject and o.locked_by <> all (pools)));
  items constant uuid[] := array(
    select i.id from supply.order_items i
    where i.id = any (subjects) and i.completed_at is null and i.lease_expires_at > now()
    -- A transaction that holds the lock of an item records its result at this moment.
    order by i.id for no key update skip locked);
begin
  -- guard: a worker that was declared dead records nothing
  update supply.order_items i set lease_token = null, lease_expires_at = null, next_check_at = now()
  where i.id = any (items);

  perform core.lose_attempts(array(
    select e.id from supply.events e
    where e.state = 'sending' and e.lease_expires_at > now() and (e.id = any (subjects) or e.leased_by = any (pools))
    order by e.id for no key update skip locked), now());
  return items;
end
$$;
comment on function core.end_leases is
  'Ends the leases of dead pools: of the jobs that they have locked, and of first attempts. The supplier is asked for
each item, and each attempt is lost. Without the fencing token the pool records nothing more. Returns the items.';
