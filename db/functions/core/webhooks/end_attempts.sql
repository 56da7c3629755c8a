create or replace function core.end_attempts(
  results supply.delivery_result[], to_send int default 0, pool_id text default null
)
returns uuid[]
language plpgsql set search_path = pg_catalog, pg_temp
as $$
declare
  ended record;
  locked bigint[];
begin
  if cardinality(results) = 0 then
    return '{}';
  end if;
  update supply.delivery_attempts a set
    finished_at = r.ended_at, status_code = r.status_code, error_kind = r.error_kind, error = left(r.error, 500),
    outcome = r.verdict, retry_after_seconds = r.retry_after, next_attempt_at = r.next_attempt_at
  from unnest(results) as r where a.lease_token = r.lease_token and r.verdict <> 'unsent';
  update supply.events e set
    state = case
      when r.verdict = 'delivered' then 'delivered'
      when r.dead_reason is not null then 'dead'
      when r.next_attempt_at > now() then 'waiting'
      else 'queued'
    end,
    delivered_at = case when r.verdict = 'delivered' then r.ended_at end,
    dead_at = case when r.dead_reason is not null then r.ended_at end,
    dead_reason = r.dead_reason, next_attempt_at = r.next_attempt_at, lease_expires_at = null
  from unnest(results) as r where e.id = r.event_id;

  if exists (select from unnest(results) as r where r.verdict <> 'delivered') then
    -- Nothing was sent, and nothing is counted: no receiver is at fault.
    with unsent as (
      delete from supply.delivery_attempts a
      where a.lease_token = any (array(select r.lease_token from unnest(results) as r where r.verdict = 'unsent'))
      returning a.event_id
    )
    update supply.events e set attempts = e.attempts - 1 from unsent u where e.id = u.event_id;
    select coalesce(array_agg(r.event_id) filter (where r.next_attempt_at > now()), '{}') as later_ids,
      array_agg(r.next_attempt_at) filter (where r.next_attempt_at > now()) as later_at,
      coalesce(array_agg(row(
        'dead_letter', r.dead_reason, r.account_id,
        format('event %s of order %s (account %s) is a dead letter: %s%s',
          r.event_id, e.order_code, r.account_id, r.dead_reason,
          coalesce(' (' || coalesce(r.error, 'status ' || r.status_code) || ')', ''))
      )::supply.occurrence) filter (where r.dead_reason is not null and not e.simulated), '{}') as alerts
    into ended
    from unnest(results) as r
    cross join lateral (
      select e.order_code, e.simulated from supply.events e where e.id = r.event_id offset 0) as e;
    perform core.enqueue('deliver_waiting', ended.later_ids, ended.later_at, 'deliver_webhook');
    perform core.raise_alerts(ended.alerts);
  end if;

  -- Usually no number of slots changes and no event is queued. Then nothing is locked.
  locked := array(
    select s.account_id from supply.delivery_slots s
    where s.account_id = any (array(select r.account_id from unnest(results) as r))
      and (
        s.slow_hosts <> '{}'
        or exists (
          select from unnest(results) as r where r.account_id = s.account_id
            and (r.slot_change > 0 and s.slots < 64 or r.slot_change < 0))
        -- An `exists` may be planned as one list of all that are queued.
        or (select true from supply.events e where e.account_id = s.account_id and e.state = 'queued' limit 1))
    order by s.account_id for no key update skip locked);
  if cardinality(locked) = 0 then
    return '{}';
  end if;
  perform core.change_slots(array(
    select r from unnest(results) as r where r.account_id = any (locked) and r.slot_change <> 0));
  return core.fill_slots(locked, to_send => to_send, pool_id => pool_id);
end
$$;
comment on function core.end_attempts is
  'Records results of attempts: events are delivered, get the job of their next rung, or are dead letters with an alert.
Changes the slots of accounts and hosts, and gives free ones to queued events as core.fill_slots. An account whose
slots are locked is left to the holder of the lock, or to work.fill_slots. The caller has locked the events.';
