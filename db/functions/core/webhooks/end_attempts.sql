create or replace function core.end_attempts(results supply.delivery_result[])
returns void
language plpgsql set search_path = pg_catalog, pg_temp
as $$
declare
  ended record;
begin
  if cardinality(results) = 0 then
    return;
  end if;
  update supply.delivery_attempts a set
    finished_at = r.ended_at, status_code = r.status_code, error = left(r.error, 500), outcome = r.verdict,
    retry_after_seconds = r.retry_after, next_attempt_at = r.next_attempt_at
  from unnest(results) as r where a.lease_token = r.lease_token;
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

  if not exists (select from unnest(results) as r where r.verdict <> 'delivered') then
    return;
  end if;
  select coalesce(array_agg(r.event_id) filter (where r.next_attempt_at > now()), '{}') as later_ids,
    array_agg(r.next_attempt_at) filter (where r.next_attempt_at > now()) as later_at,
    coalesce(array_agg(row(format('dead_letter:%s:account %s', r.dead_reason, r.account_id),
      format('event %s of order %s (account %s) is a dead letter: %s%s', r.event_id, e.order_code, r.account_id,
        r.dead_reason, coalesce(' (' || coalesce(r.error, 'status ' || r.status_code) || ')', '')))::supply.occurrence)
      filter (where e.id is not null), '{}') as dead_letters
  into ended
  from unnest(results) as r
  left join lateral (
    select e.id, e.order_code from supply.events e
    where e.id = r.event_id and r.dead_reason is not null and not e.simulated offset 0) as e on true;
  perform core.enqueue('deliver_waiting', ended.later_ids, ended.later_at, 'deliver_webhook');
  perform core.raise_alerts(ended.dead_letters);
end
$$;
comment on function core.end_attempts is
  'Records the results of attempts and ends them: events are delivered, wait for their next rung with a job, are queued where it is
due, or are dead letters, of which operators are alerted. The caller holds the locks of the events. Specification 6.4 to 6.6.';
