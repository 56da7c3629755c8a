create or replace function work.begin_deliveries(event_ids uuid[], max_bytes int)
returns supply.leased_attempt[]
language plpgsql security definer set search_path = pg_catalog, pg_temp
as $$
declare
  batch record;
  filled uuid[] := '{}';
  -- The large events for which the worker has no room.
  later uuid[] := array(
    select l.id from (
      select e.id, coalesce(sum(octet_length(e.body)) over (
        order by array_position(event_ids, e.id) rows between unbounded preceding and 1 preceding), 0) as bytes_before
      from supply.events e
      where e.id = any (event_ids)
        and octet_length(e.body) > (select d.large_bytes from core.delivery_limits d)) as l
    where l.bytes_before >= max_bytes);
begin
  if cardinality(later) > 0 then
    perform core.enqueue_busy('deliver_waiting', later);
  end if;
  select
    array_agg(e.id) filter (where e.verdict = 'lease') as ready,
    array_agg(e.id) filter (where e.verdict = 'needs_slot') as without_slot,
    array_agg(e.id) filter (where e.verdict = 'early') as early,
    array_agg(e.due_at) filter (where e.verdict = 'early') as early_until,
    array_agg(e.id) filter (where e.verdict = 'lost') as lost,
    array_agg(e.account_id) filter (where e.verdict = 'needs_slot') as accounts,
    coalesce(array_agg(e.id) filter (where e.verdict <> 'busy'), '{}') as locked
  into batch
  from (
    select e.id, e.account_id, e.due_at,
      case
        when e.state in ('delivered', 'dead', 'held') then 'over'
        -- Its secret could not be made: the foreign key would wait for the account.
        when not exists (select from supply.webhook_secrets s where s.account_id = e.account_id)
          and (select true from supply.accounts a where a.id = e.account_id for key share skip locked) is null
          then 'busy'
        -- A job can run early, after the clock was set back or another job replaced it. Its event still needs a job.
        when e.due_at > now() then 'early'
        when e.state = 'sending' then 'lost'
        when e.state = 'ready' then 'lease'
        else 'needs_slot'
      end as verdict
    from (
      select e.id, e.account_id, e.state,
        -- guard: no worker sends an event under another lease
        case e.state when 'sending' then e.lease_expires_at else e.next_attempt_at end as due_at
      from supply.events e where e.id = any (event_ids) and e.id <> all (later)
      order by e.id for no key update skip locked
    ) as e
    offset 0
  ) as e;
  if not event_ids <@ (batch.locked || later) then
    perform core.enqueue_busy('deliver_waiting', array(
      select e.id from supply.events e where e.id = any (event_ids) and e.id <> all (batch.locked || later)));
  end if;

  if batch.lost is not null then
    perform core.lose_attempts(batch.lost);
    -- The lease may have ended so long ago that the next rung is due, and has a slot.
    batch.ready := batch.ready || array(
      select e.id from supply.events e where e.id = any (batch.lost) and e.state = 'ready');
  end if;
  if batch.early is not null then
    update supply.events e set state = 'waiting', lease_expires_at = null
    where e.id = any (batch.early) and e.state <> 'sending';
    perform core.enqueue('deliver_waiting', batch.early, batch.early_until, 'deliver_webhook');
  end if;
  if batch.without_slot is not null then
    update supply.events e set state = 'queued' where e.id = any (batch.without_slot);
    filled := core.fill_slots(core.lock_briefly('delivery_slots', batch.accounts), to_lease => batch.without_slot);
  end if;
  if cardinality(batch.ready) > 0 then
    perform core.lease_attempts(batch.ready);
  end if;
  return core.leased_attempts(batch.ready || filled);
end
$$;
comment on function work.begin_deliveries is
  'Leases (30 s) and counts the attempts that are due now. A rung that is due takes a slot, or its event is queued. An
attempt whose lease ended is lost. A locked event, or a large one behind max_bytes of others, is tried again within a
second. Specification 6.5.';
