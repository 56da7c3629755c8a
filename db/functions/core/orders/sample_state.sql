create or replace function core.sample_state(account_id bigint, event_id uuid)
returns json
language sql stable set search_path = pg_catalog, pg_temp
as $$
  with event as (
    select e.*, coalesce(e.dead_reason in ('blocked_address', 'unresolved'), false) as is_hidden from supply.events e
    where e.id = sample_state.event_id and e.account_id = sample_state.account_id and e.simulated
  ), attempts as (
    select a.* from core.sample_attempts(sample_state.account_id, sample_state.event_id) a
  )
  select json_build_object(
    'eventId', e.id,
    'eventType', e.event_type,
    'orderCode', e.order_code,
    'callbackUrl', e.callback_url,
    'state', case
      when shown.is_early then 'sending'
      when e.state in ('queued', 'ready') then 'waiting'
      else e.state end,
    'deadReason', case
      when not shown.is_early then case when e.is_hidden then 'host_unreachable' else e.dead_reason end end,
    'nextAttemptAt', core.iso(e.next_attempt_at),
    'createdAt', core.iso(e.created_at),
    'deliveredAt', core.iso(e.delivered_at),
    'deadAt', case
      when not shown.is_early then core.iso(case when e.is_hidden then last.hidden_until else e.dead_at end) end,
    'attempts', (
      select coalesce(json_agg(json_build_object(
        'attempt', a.attempt,
        'startedAt', core.iso(a.started_at),
        'finishedAt', core.iso(a.finished_at),
        'outcome', a.outcome,
        'statusCode', a.status_code,
        'error', a.error,
        'retryAfterSeconds', a.retry_after_seconds,
        'nextAttemptAt', core.iso(a.next_attempt_at)
      ) order by a.round, a.attempt), '[]')
      from attempts a))
  from event e
  left join attempts last on last.round = e.round and last.attempt = e.attempts
  cross join lateral (select coalesce(last.hidden_until > now(), false) as is_early) as shown
$$;
comment on function core.sample_state is
  'Returns a simulated event of the account with its attempts (core.sample_attempts); null: it has none with
this id.';
