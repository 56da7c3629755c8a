create or replace function core.history_of_deliveries(order_id bigint, rounds int default null)
returns table (
  at timestamptz, step supply.order_step, actor text, what text, detail text, round int, attempt int, outcome text,
  status_code int, error text, next_attempt_at timestamptz
)
language sql stable set search_path = pg_catalog, pg_temp
as $$
  with attempts as (
    select a.*, e.round as last_round, e.lease_token = a.lease_token and e.lease_expires_at > now() as is_under_way
    from supply.events e join supply.delivery_attempts a on a.event_id = e.id
    where e.order_id = history_of_deliveries.order_id and (rounds is null or a.round > e.round - rounds)
  )
  select r.requested_at, 'round_started'::supply.order_step,
    case when r.key_id is null then 'operator ' || r.requested_by else 'partner' end,
    'redelivers', format('round %s of nine attempts begins%s', r.round, ', requested with key ' || r.key_id),
    r.round, null::int, null::text, null::int, null::text, null::timestamptz
  from supply.events e join supply.redelivery_requests r on r.event_id = e.id
  where e.order_id = history_of_deliveries.order_id and (rounds is null or r.round > e.round - rounds)
  union all
  select a.started_at, 'delivery_attempt', 'service', 'webhook sent',
    format('%sattempt %s of 9', case when a.last_round > 1 then format('round %s, ', a.round) else '' end, a.attempt)
      || case
        when a.outcome <> 'lost' and a.finished_at >= a.started_at + interval '1 second'
          then format(', after %s s', round(extract(epoch from a.finished_at - a.started_at)))
        else ''
      end
      || ': ' || case
        when a.finished_at is null and a.is_under_way then 'it is under way'
        when a.finished_at is null then 'no result was recorded; the worker is probably lost'
        when a.outcome = 'lost' then 'no result was recorded, because the worker was lost; the attempt counts'
        when a.outcome = 'delivered' then format('delivered, the receiver answers %s', a.status_code)
        when a.status_code is not null then format('the receiver answers %s', a.status_code)
        else coalesce(a.error, 'no answer')
      end
      || coalesce('; the next attempt comes after ' || date_trunc('second', a.next_attempt_at - a.finished_at), '')
      || case when a.next_attempt_at is not null and a.retry_after_seconds is not null then ', as the receiver asks'
        else '' end,
    a.round, a.attempt, a.outcome, a.status_code, core.delivery_error(a.outcome, a.status_code, a.error_kind),
    a.next_attempt_at
  from attempts a
  union all
  select a.finished_at, 'delivered', 'service', 'delivered', null, a.round, a.attempt, a.outcome, null, null, null
  from attempts a where a.outcome = 'delivered'
  union all
  select a.finished_at, 'given_up', 'service', 'dead letter', case
      when a.status_code between 300 and 499 and a.status_code not in (408, 429)
        then 'the receiver refuses it permanently'
      when a.attempt = 9 then 'nine attempts failed'
      else 'the callback URL cannot be used'
    end || ': only a redelivery sends it again', a.round, a.attempt, a.outcome, null, null, null
  from attempts a
  -- The ninth attempt may have been lost.
  where a.finished_at is not null and (a.outcome = 'dead' or a.attempt = 9 and a.outcome = 'lost')
$$;
comment on function core.history_of_deliveries is
  'Returns the steps of an order that are delivery attempts, redeliveries and the dead letter: of the last so many
rounds; null: of all. error: what the partner reads.';
