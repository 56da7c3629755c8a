create or replace function api.get_simulation(account_id bigint, event_id uuid)
returns json
language sql stable security definer set search_path = pg_catalog, pg_temp
as $$
  select json_build_object(
    'eventId', e.id,
    'eventType', e.event_type,
    'orderCode', e.order_code,
    'callbackUrl', e.callback_url,
    'state', e.state,
    'deadReason', e.dead_reason,
    'nextAttemptAt', core.iso(e.next_attempt_at),
    'createdAt', core.iso(e.created_at),
    'deliveredAt', core.iso(e.delivered_at),
    'deadAt', core.iso(e.dead_at),
    'attempts', (
      select coalesce(json_agg(json_build_object(
        'attempt', a.attempt,
        'startedAt', core.iso(a.started_at),
        'finishedAt', core.iso(a.finished_at),
        'outcome', a.outcome,
        'statusCode', a.status_code,
        -- What a name resolves to inside our networks is not for partners.
        'error', case when a.outcome = 'dead' and e.dead_reason = 'blocked_address' then 'the address is not allowed' else a.error end,
        'retryAfterSeconds', a.retry_after_seconds,
        'nextAttemptAt', core.iso(a.next_attempt_at)
      ) order by a.ladder, a.attempt), '[]')
      from supply.delivery_attempts a where a.event_id = e.id))
  from supply.events e
  where e.id = get_simulation.event_id and e.account_id = get_simulation.account_id and e.simulated
$$;
comment on function api.get_simulation is
  'A simulated event of the account with its attempts; null if it has none with this id.';
revoke all on function api.get_simulation from public;
grant execute on function api.get_simulation to supply_api;
