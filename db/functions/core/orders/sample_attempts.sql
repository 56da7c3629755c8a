create or replace function core.sample_attempts(account_id bigint, event_id uuid)
returns table (
  round int, attempt int, started_at timestamptz, finished_at timestamptz, outcome text, status_code int,
  error_kind supply.delivery_error_kind, error text, retry_after_seconds int, next_attempt_at timestamptz,
  hidden_until timestamptz
)
language sql stable set search_path = pg_catalog, pg_temp
as $$
  -- Partners must not learn whether a name exists inside our networks, or where it leads. The outcome or the time of a
  -- round that ended without a status would show it.
  select a.round, a.attempt, a.started_at,
    case when h.until is null then a.finished_at when h.until <= now() then h.until end,
    case when h.until is null or h.until <= now() then a.outcome end, a.status_code,
    case when h.until is null then a.error_kind when h.until <= now() then 'host_unreachable' end,
    case when h.until is null then a.error when h.until <= now() then 'the host could not be reached' end,
    a.retry_after_seconds, a.next_attempt_at, h.until
  from supply.events e
  join supply.delivery_attempts a on a.event_id = e.id
  cross join lateral (
    select case
      when coalesce(a.outcome = 'dead', false) and a.status_code is null
        and (coalesce(e.dead_reason in ('blocked_address', 'unresolved'), false) or a.round < e.round)
        then a.started_at + interval '15 s' end as until) as h
  where e.id = sample_attempts.event_id and e.account_id = sample_attempts.account_id and e.simulated
$$;
comment on function core.sample_attempts is
  'Returns the attempts of a simulated event as its partner may see them. A name that does not resolve looks like one
that leads to a forbidden address: host_unreachable, 15 s after the attempt began (hidden_until).';
