create or replace function core.story_of_deliveries(order_id bigint)
returns table (at timestamptz, place int, actor text, what text, detail text)
language sql stable set search_path = pg_catalog, pg_temp
as $$
  with attempts as (
    select a.*, e.round as last_round, e.lease_token = a.lease_token and e.lease_expires_at > now() as is_under_way
    from supply.events e join supply.delivery_attempts a on a.event_id = e.id
    where e.order_id = story_of_deliveries.order_id
  )
  select r.requested_at, 2, case when r.key_id is null then 'operator ' || r.requested_by else 'partner' end,
    'redelivers', format('round %s of nine attempts begins%s', r.round, ', requested with key ' || r.key_id)
  from supply.events e join supply.redelivery_requests r on r.event_id = e.id
  where e.order_id = story_of_deliveries.order_id
  union all
  select a.started_at, 9, 'service', 'webhook sent',
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
        else '' end
  from attempts a
  union all
  select a.finished_at, 10, 'service', 'dead letter', case
      when a.status_code between 300 and 499 and a.status_code not in (408, 429)
        then 'the receiver refuses it permanently'
      when a.attempt = 9 then 'nine attempts failed'
      else 'the callback URL cannot be used'
    end || ': only a redelivery sends it again'
  from attempts a
  -- The ninth attempt may have been lost.
  where a.finished_at is not null and (a.outcome = 'dead' or a.attempt = 9 and a.outcome = 'lost')
$$;
comment on function core.story_of_deliveries is
  'Returns the rows of an order''s story about delivery attempts, redeliveries and the dead letter.';
