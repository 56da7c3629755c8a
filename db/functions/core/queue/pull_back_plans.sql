create or replace function core.pull_back_plans()
returns int
language plpgsql set search_path = pg_catalog, pg_temp
as $$
declare
  -- What was written later than this was written before the clock of the database went back.
  until constant timestamptz := now() + interval '30 s';
  job record;
  went_back interval;
  plans int := 0;
  moved int;
begin
  update supply.suppliers s set
    trial_at = s.trial_at - greatest(interval '0', s.trial_at - now() - interval '1 minute'),
    sync_due_at = s.sync_due_at - greatest(interval '0', s.sync_due_at - now() - s.sync_every)
  where s.code = any (array(
    select o.code from supply.suppliers o
    where o.trial_at > until + interval '1 minute' or o.sync_due_at > until + o.sync_every
    order by o.code for no key update skip locked));
  get diagnostics plans = row_count;
  update supply.supplier_places p set free_at = now()
  where p.supplier = any (array(
    select o.supplier from supply.supplier_places o join supply.suppliers s on s.code = o.supplier
    where o.free_at > until + 10 * interval '1 minute' / s.per_minute + interval '1 minute'
    order by o.supplier for no key update of o skip locked));
  get diagnostics moved = row_count;
  plans := plans + moved;
  update supply.supplier_syncs y set lease_expires_at = now() + interval '10 minutes'
  where y.supplier = any (array(
    select o.supplier from supply.supplier_syncs o where o.lease_expires_at > until + interval '10 minutes'
    order by o.supplier for no key update skip locked));
  update supply.access_tokens t set renewing_until = now()
  where t.supplier = any (array(
    select o.supplier from supply.access_tokens o where o.renewing_until > until + interval '15 s'
    order by o.supplier for no key update skip locked));
  update supply.supplier_states t set
    last_good_at = t.last_good_at - greatest(interval '0', t.last_good_at - now()),
    unanswered_since = t.unanswered_since - greatest(interval '0', t.unanswered_since - now())
  where t.supplier = any (array(
    select o.supplier from supply.supplier_states o where o.last_good_at > until or o.unanswered_since > until
    order by o.supplier for no key update skip locked));
  update supply.worker_pools p set seen_at = now()
  where p.pool_id = any (array(
    select o.pool_id from supply.worker_pools o where o.seen_at > until
    order by o.pool_id for no key update skip locked));

  update supply.api_keys k set starts_at = least(k.starts_at, now()), created_at = now()
  where k.id = any (array(
    select o.id from supply.api_keys o where o.created_at > until and o.starts_at <= o.created_at
    order by o.id for no key update skip locked));
  get diagnostics moved = row_count;
  plans := plans + moved;

  -- A job is written with the plan that it is for, in one transaction: that is how far ahead the clock was.
  for job in
    select array_agg(j.id) as ids, array_agg(j.subject) as subjects, j.delay, max(j.updated_at) - now() as went_back
    from (
      select o.id, o.subject, o.updated_at,
        greatest(interval '0', date_trunc('second', o.run_at - o.updated_at + interval '0.999 s')) as delay
      from core.jobs o
      -- An operator's open transaction replaces some.
      where o.id = any (array(
        select q.id from graphile_worker._private_jobs q where q.is_available and q.updated_at > until
        order by q.id limit 10000 for update skip locked))
    ) as j
    group by j.delay
  loop
    went_back := greatest(went_back, job.went_back);
    plans := plans + cardinality(job.ids);
    update supply.order_items i set next_check_at = now() + job.delay
    where i.id = any (array(
      select o.id from supply.order_items o where o.id = any (job.subjects) and o.next_check_at > now() + job.delay
      order by o.id for no key update skip locked));
    update supply.events e set next_attempt_at = now() + job.delay
    where e.id = any (array(
      select o.id from supply.events o
      where o.id = any (job.subjects) and o.state = 'waiting' and o.next_attempt_at > now() + job.delay
      order by o.id for no key update skip locked));
    update supply.simulated_orders o set
      created_at = now() + job.delay - (o.due_at - o.created_at), due_at = now() + job.delay
    where o.id = any (array(
      select d.id from supply.simulated_orders d where d.id = any (job.subjects) and d.due_at > now() + job.delay
      order by d.id for no key update skip locked));
    perform graphile_worker.reschedule_jobs(job.ids, run_at => now() + job.delay);
  end loop;

  -- Items that wait for a place have no jobs: the longest time that a supplier may ask for is an hour.
  update supply.order_items i set limited_at = now(), next_check_at = least(i.next_check_at, now())
  where i.id = any (array(
    select o.id from supply.order_items o
    where o.limited_at > until + case when went_back is null then interval '1 hour' else interval '0' end
      and o.limited_rank >= 0 and o.completed_at is null
    order by o.id limit 10000 for no key update skip locked));
  get diagnostics moved = row_count;
  plans := plans + moved;

  -- Leases have no jobs, and a plan can be wrong without one.
  update supply.order_items i set
    lease_expires_at = i.lease_expires_at - greatest(interval '0', i.lease_expires_at - now() - interval '45 s'),
    next_check_at = i.next_check_at - greatest(interval '0', i.next_check_at - now())
  where i.id = any (array(
    select o.id from supply.order_items o
    where o.completed_at is null and o.limited_at is null
      and (o.lease_expires_at > until + interval '50 s' or o.next_check_at > until + interval '1 hour')
    order by o.id limit 10000 for no key update skip locked));
  get diagnostics moved = row_count;
  plans := plans + moved;
  update supply.events e set
    lease_expires_at = e.lease_expires_at - greatest(interval '0', e.lease_expires_at - now() - interval '30 s'),
    next_attempt_at = e.next_attempt_at - greatest(
      interval '0', e.next_attempt_at - now() - greatest(core.rung_delay(e.attempts), '6 hours'))
  where e.id = any (array(
    select o.id from supply.events o
    where o.state in ('ready', 'sending') and o.lease_expires_at > until + interval '30 s'
      or o.state = 'waiting' and o.next_attempt_at > until + greatest(core.rung_delay(o.attempts), '6 hours')
    order by o.id limit 10000 for no key update skip locked));
  get diagnostics moved = row_count;
  plans := plans + moved;

  if plans > 0 then
    perform core.raise_alerts(array[row('clock_went_back', 'database', null, format(
      'the clock of the database went back%s: %s plans that were made before moved back with it',
      ' by about ' || round(extract(epoch from went_back)) || ' s', plans))::supply.occurrence]);
  end if;
  return plans;
end
$$;
comment on function core.pull_back_plans is
  'Moves back what was planned before the clock of the database went back: no plan lies further ahead than its longest
step. Rows that others have locked are left to the next call. Returns how many plans, and alerts operators of them.';
