create or replace function work.finish_deliveries(results jsonb)
returns table (ordinal int, verdict text)
language plpgsql security definer set search_path = pg_catalog, pg_temp set plan_cache_mode = force_generic_plan
as $$
#variable_conflict use_column
declare
  ids uuid[] := array(select (r ->> 'eventId')::uuid from jsonb_array_elements(results) r);
  ended_at timestamptz;
  batch record;
begin
  perform 1 from supply.events e where e.id = any (ids) order by e.id for no key update;
  ended_at := clock_timestamp();
  select
    array_agg(r.ordinal) as ordinals,
    array_agg(r.verdict) as verdicts,
    coalesce(array_agg(r.event_id) filter (where r.verdict <> 'stale'), '{}') as ended,
    array_agg(r.verdict) filter (where r.verdict <> 'stale') as ended_by,
    array_agg(r.status) filter (where r.verdict <> 'stale') as statuses,
    array_agg(r.error) filter (where r.verdict <> 'stale') as errors,
    array_agg(case when r.verdict = 'retry' then r.retry_after end) filter (where r.verdict <> 'stale') as retry_afters,
    array_agg(r.account_id) filter (where r.verdict <> 'stale') as accounts,
    array_agg(case
      when r.kind in ('unreachable', 'unresolved') then -1
      when r.kind = 'answered' and ended_at <= r.started_at + interval '2 s' then 1
      else 0
    end) filter (where r.verdict <> 'stale') as changes
  into batch
  from (
    select r.*, e.account_id, a.started_at,
      case
        when e.state is distinct from 'sending' or e.claim_id is distinct from r.claim_id then 'stale'
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
      select (r ->> 'ordinal')::int as ordinal, (r ->> 'eventId')::uuid as event_id, (r ->> 'claimId')::uuid as claim_id,
        r #>> '{result,kind}' as kind, r #>> '{result,reason}' as reason, (r #>> '{result,status}')::int as status,
        r #>> '{result,error}' as error, (r #>> '{result,retryAfter}')::int as retry_after
      from jsonb_array_elements(results) r
    ) as r
    left join lateral (
      select e.state, e.claim_id, e.account_id, e.simulated from supply.events e where e.id = r.event_id offset 0) as e on true
    left join lateral (select a.started_at from supply.delivery_attempts a where a.claim_id = r.claim_id offset 0) as a on true
  ) as r;

  if cardinality(batch.ended) > 0 then
    perform core.end_attempts(batch.ended, batch.ended_by, array_fill(ended_at, array[cardinality(batch.ended)]),
      batch.statuses, batch.errors, batch.retry_afters);
    perform core.return_slots(batch.accounts, batch.changes);
  end if;
  return query select r.ordinal, r.verdict from unnest(batch.ordinals, batch.verdicts) as r (ordinal, verdict);
end
$$;
comment on function work.finish_deliveries is
  'Records the results of delivery attempts: [{ordinal, eventId, claimId, result: SendOutcome}], retryAfter in seconds. Returns a verdict for each: '
  'delivered, retry, the reason of a dead letter, or stale for an outdated fencing token (claimId), which changes nothing. An answer within 2 s '
  'adds a slot to the account; a timeout or a failed connection halves its slots. Specification 6.4 to 6.6.';
