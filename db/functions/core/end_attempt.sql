create or replace function core.end_attempt(
  event supply.events, verdict text, ended_at timestamptz, status_code int default null, error text default null,
  retry_after int default null,
  out next_attempt_at timestamptz, out alert_cause text, out alert_message text
)
language plpgsql set search_path = pg_catalog, pg_temp
as $$
#variable_conflict use_column
declare
  why_dead text := case
    when verdict in ('retry', 'lost') and event.attempts >= 9 then 'attempts_exhausted'
    when verdict not in ('delivered', 'retry', 'lost') then verdict
  end;
begin
  if verdict in ('retry', 'lost') and why_dead is null then
    next_attempt_at := ended_at + coalesce(make_interval(secs => retry_after), core.retry_delay(event.attempts));
  end if;

  update supply.delivery_attempts a set
    finished_at = ended_at, status_code = end_attempt.status_code, error = left(end_attempt.error, 500),
    outcome = case when verdict in ('delivered', 'lost') then verdict when why_dead is null then 'retry' else 'dead' end,
    retry_after_seconds = retry_after, next_attempt_at = end_attempt.next_attempt_at
  where a.claim_id = event.claim_id;

  update supply.events e set
    state = case when verdict = 'delivered' then 'delivered' when why_dead is null then 'waiting' else 'dead' end,
    delivered_at = case when verdict = 'delivered' then ended_at end,
    dead_at = case when why_dead is not null then ended_at end,
    dead_reason = why_dead,
    next_attempt_at = end_attempt.next_attempt_at,
    claim_expires_at = null
  where e.id = event.id;

  if why_dead is not null and not event.simulated then
    alert_cause := format('dead_letter:%s:account %s', why_dead, event.account_id);
    alert_message := format('event %s of order %s (account %s) is a dead letter: %s%s', event.id, event.order_code, event.account_id,
      why_dead, coalesce(' (' || coalesce(error, 'status ' || status_code) || ')', ''));
  end if;
end
$$;
comment on function core.end_attempt is
  'Ends the attempt that an event is in: delivered, retry, lost, or the reason of a dead letter. Writes the attempt and the event, gives when '
  'the next attempt is due (null: none) and what to alert operators of. The rung is counted from ended_at; retry_after (s) replaces its delay. '
  'Specification 6.4 to 6.6.';
revoke all on function core.end_attempt from public;
