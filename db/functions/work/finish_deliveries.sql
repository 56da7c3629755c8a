create or replace function work.finish_deliveries(results jsonb, to_send int, pool_id text)
returns table (
  ordinal int, verdict text, told_seconds double precision,
  event_id uuid, lease_token uuid, callback_url text, event_type text, body text, secret text, attempt int,
  request_id text, request_id_given boolean, traceparent text
)
language plpgsql security definer set search_path = pg_catalog, pg_temp
as $$
#variable_conflict use_column
declare
  ids uuid[] := array(select (r ->> 'eventId')::uuid from jsonb_array_elements(results) r);
  locked uuid[];
  ended_at timestamptz;
  batch record;
  leased uuid[];
begin
  locked := array(select e.id from supply.events e where e.id = any (ids) order by e.id for no key update skip locked);
  ended_at := clock_timestamp();
  select
    array_agg(r.ordinal) as ordinals,
    array_agg(r.verdict) as verdicts,
    array_agg(case when r.verdict = 'delivered' then (
      select extract(epoch from ended_at - o.created_at)::double precision from supply.orders o where o.id = r.order_id) end) as told,
    coalesce(array_agg(r.event_id) filter (where r.ends), '{}') as ended,
    array_agg(r.verdict) filter (where r.ends) as ended_by,
    array_agg(r.status) filter (where r.ends) as statuses,
    array_agg(r.error) filter (where r.ends) as errors,
    array_agg(case when r.verdict = 'retry' then r.retry_after end) filter (where r.ends) as retry_afters,
    array_agg(r.account_id) filter (where r.ends) as accounts,
    array_agg(case
      when r.kind in ('unreachable', 'unresolved') then -1
      when r.kind = 'answered' and ended_at <= r.started_at + interval '2 s' then 1
      else 0
    end) filter (where r.ends) as changes
  into batch
  from (
    select r.*, r.verdict not in ('stale', 'busy') as ends from (
      select r.*, e.account_id, e.order_id, a.started_at,
        case
          when e.state is not null and r.event_id <> all (locked) then 'busy'
          when e.state is distinct from 'sending' or e.lease_token is distinct from r.lease_token then 'stale'
          when r.kind = 'refused' then r.reason
          -- A sample ends here, as it does at a blocked address: the partner must not see which of the two it was.
          when r.kind = 'unresolved' and e.simulated then 'unresolved'
          when r.status between 200 and 299 then 'delivered'
          when r.status in (408, 429) then 'retry'
          when r.status between 400 and 499 then 'http_4xx'
          when r.status between 300 and 399 then 'http_3xx'
          else 'retry'
        end as verdict
      from (
        select (r ->> 'ordinal')::int as ordinal, (r ->> 'eventId')::uuid as event_id, (r ->> 'leaseToken')::uuid as lease_token,
          r #>> '{result,kind}' as kind, r #>> '{result,reason}' as reason, (r #>> '{result,status}')::int as status,
          r #>> '{result,error}' as error, (r #>> '{result,retryAfter}')::int as retry_after
        from jsonb_array_elements(results) r
      ) as r
      left join lateral (
        select e.state, e.lease_token, e.account_id, e.order_id, e.simulated from supply.events e where e.id = r.event_id offset 0
      ) as e on true
      left join lateral (select a.started_at from supply.delivery_attempts a where a.lease_token = r.lease_token offset 0) as a on true
    ) as r
  ) as r;

  if cardinality(batch.ended) > 0 then
    perform core.end_attempts(batch.ended, batch.ended_by, array_fill(ended_at, array[cardinality(batch.ended)]),
      batch.statuses, batch.errors, batch.retry_afters);
    leased := core.return_slots(batch.accounts, batch.changes, to_send, pool_id);
  end if;
  return query
  select r.ordinal, r.verdict, r.told, null::uuid, null::uuid, null::text, null::text, null::text, null::text, null::int,
    null::text, null::boolean, null::text
  from unnest(batch.ordinals, batch.verdicts, batch.told) as r (ordinal, verdict, told);
  if cardinality(leased) > 0 then
    return query select null::int, null::text, null::double precision, l.* from core.leased_attempts l where l.event_id = any (leased);
  end if;
end
$$;
comment on function work.finish_deliveries is
  'Records the results of delivery attempts: [{ordinal, eventId, leaseToken, result: SendOutcome}], retryAfter in seconds. Returns a verdict for each: '
  'delivered, retry, the reason of a dead letter, stale for an outdated fencing token (leaseToken), which changes nothing, or busy: another '
  'transaction has the lock of the event, and the result is to be recorded later. An answer within 2 s '
  'adds a slot to the account; a timeout or a failed connection halves its slots. told_seconds: of a delivered result, the seconds since its order '
  'was placed. Further rows: first attempts that are leased to the caller, as work.finish_calls has them. Specification 6.4 to 6.6.
nullable: ordinal, verdict, told_seconds, event_id, lease_token, callback_url, event_type, body, secret, attempt, request_id, request_id_given, traceparent';
