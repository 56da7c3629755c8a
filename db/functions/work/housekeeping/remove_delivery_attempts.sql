create or replace function work.remove_delivery_attempts(retain interval, is_first boolean)
returns boolean
language plpgsql security definer set search_path = pg_catalog, pg_temp
as $$
declare
  at_once constant int := 1000;
  nobody constant uuid := '00000000-0000-0000-0000-000000000000';
  before constant timestamptz := now() - retain;
  run supply.housekeeping := core.begin_removal('delivery attempts', is_first);
  looked record;
  old uuid[];
begin
  if run.what is null then
    return false;
  end if;
  select count(*) as count, (array_agg(a.started_at order by a.started_at desc, a.lease_token desc))[1] as last_at,
    (array_agg(a.lease_token order by a.started_at desc, a.lease_token desc))[1] as last_id,
    coalesce(array_agg(a.lease_token) filter (where a.is_final), '{}') as removable
  into looked
  from (
    select a.lease_token, a.started_at, (
      select e.state in ('delivered', 'dead') from supply.events e where e.id = a.event_id) as is_final
    from supply.delivery_attempts a
    where a.started_at < before and (a.started_at, a.lease_token)
      > (coalesce(run.position_at, '-infinity'), coalesce(run.position_id::uuid, nobody))
    order by a.started_at, a.lease_token limit at_once
  ) as a;
  old := array(select a.lease_token from supply.delivery_attempts a where a.lease_token = any (looked.removable) for update skip locked);
  with removed as (
    delete from supply.delivery_attempts a where a.lease_token = any (old) returning a.event_id, a.round
  )
  delete from supply.redelivery_requests r
  where (r.event_id, r.round) in (select m.event_id, m.round from removed m) and r.requested_at < before;
  return core.end_removal(run, cardinality(old), before, looked.count = at_once, looked.last_at, looked.last_id::text);
end
$$;
comment on function work.remove_delivery_attempts is
  'Removes attempts to deliver events that began longer ago than retain, but none of an event that is not delivered and no dead letter: looks '
  'at 1,000 at a time, oldest first. With an attempt goes the partner''s request that began its round. Returns whether there is more to look at: call it with is_first, then without until it returns false. '
  'Calls at the same time share the work.';
