create or replace function core.end_attempts(results supply.delivery_result[])
returns void
language plpgsql set search_path = pg_catalog, pg_temp
as $$
declare
  rung_delays constant interval[] := array[
    '1 minute', '5 minutes', '15 minutes', '1 hour', '3 hours', '6 hours', '12 hours', '24 hours'];
  batch record;
begin
  if cardinality(results) = 0 then
    return;
  end if;
  with ended as materialized (
    select n.*, e.lease_token, e.order_code, e.simulated,
      case
        when n.verdict = 'delivered' then null
        when n.verdict not in ('retry', 'lost') then n.verdict
        when e.attempts > cardinality(rung_delays) then 'attempts_exhausted'
      end as why_dead,
      case
        when n.verdict in ('retry', 'lost') and e.attempts <= cardinality(rung_delays)
        then n.ended_at + coalesce(make_interval(secs => n.retry_after), rung_delays[e.attempts])
      end as next_attempt_at
    from unnest(results) as n
    cross join lateral (select e.* from supply.events e where e.id = n.event_id offset 0) as e
  ), recorded as (
    update supply.delivery_attempts a set
      finished_at = n.ended_at, status_code = n.status_code, error = left(n.error, 500),
      outcome = case when n.verdict in ('delivered', 'lost') then n.verdict when n.why_dead is null then 'retry' else 'dead' end,
      retry_after_seconds = n.retry_after, next_attempt_at = n.next_attempt_at
    from ended n where a.lease_token = n.lease_token
  ), moved as (
    update supply.events e set
      state = case
        when n.verdict = 'delivered' then 'delivered'
        when n.why_dead is not null then 'dead'
        when n.next_attempt_at > now() then 'waiting'
        else 'queued'
      end,
      delivered_at = case when n.verdict = 'delivered' then n.ended_at end,
      dead_at = case when n.why_dead is not null then n.ended_at end,
      dead_reason = n.why_dead,
      next_attempt_at = n.next_attempt_at,
      lease_expires_at = null
    from ended n where e.id = n.event_id
  )
  select
    coalesce(array_agg(n.event_id) filter (where n.next_attempt_at > now()), '{}') as later_ids,
    array_agg(n.next_attempt_at) filter (where n.next_attempt_at > now()) as later_times,
    coalesce(array_agg(
      format('dead_letter:%s:account %s', n.why_dead, n.account_id)) filter (where n.is_alerted), '{}') as causes,
    array_agg(format('event %s of order %s (account %s) is a dead letter: %s%s',
      n.event_id, n.order_code, n.account_id, n.why_dead,
      coalesce(' (' || coalesce(n.error, 'status ' || n.status_code) || ')', ''))) filter (where n.is_alerted) as messages
  into batch
  from (select n.*, n.why_dead is not null and not n.simulated as is_alerted from ended n) as n;
  perform core.enqueue('deliver_waiting', batch.later_ids, batch.later_times, 'deliver_webhook');
  perform core.raise_alerts(batch.causes, batch.messages);
end
$$;
comment on function core.end_attempts is
  'Ends attempts by their verdicts: writes attempts and events, plans the next rungs (1 min to 24 h after the end of the attempt, or
retry_after), queues what is due, and alerts operators of dead letters. The caller holds the locks of the events. Specification 6.4
to 6.6.';
