create or replace function work.finish_deliveries(results jsonb)
returns table (ordinal int, verdict text)
language plpgsql security definer set search_path = pg_catalog, pg_temp
as $$
#variable_conflict use_column
declare
  ids uuid[] := array(select (r ->> 'eventId')::uuid from jsonb_array_elements(results) r);
  entry jsonb;
  event supply.events;
  ended record;
  later_ids uuid[] := '{}';
  later_times timestamptz[] := '{}';
  freed bigint[] := '{}';
  causes text[] := '{}';
  messages text[] := '{}';
begin
  perform core.lock_deliveries(ids);
  perform 1 from supply.events e where e.id = any (ids) order by e.id for no key update;
  for entry in select r from jsonb_array_elements(results) r order by r ->> 'eventId' loop
    ordinal := (entry ->> 'ordinal')::int;
    select e.* into event from supply.events e where e.id = (entry ->> 'eventId')::uuid;
    if event.state is distinct from 'sending' or event.claim_id is distinct from (entry ->> 'claimId')::uuid then
      verdict := 'stale';
      return next;
      continue;
    end if;

    verdict := case entry #>> '{result,kind}'
      when 'answered' then core.delivery_verdict((entry #>> '{result,status}')::int)
      when 'refused' then entry #>> '{result,reason}'
      -- A sample ends here, as it does where the name leads inside: its partner must not see which of both it was.
      when 'unresolved' then case when event.simulated then 'unresolved' else 'retry' end
      else 'retry'
    end;
    select a.* into ended from core.end_attempt(event, verdict, clock_timestamp(),
      status_code => (entry #>> '{result,status}')::int,
      error => entry #>> '{result,error}',
      retry_after => case when verdict = 'retry' then (entry #>> '{result,retryAfter}')::int end) a;
    freed := freed || event.account_id;
    if ended.next_attempt_at is not null then
      later_ids := later_ids || event.id;
      later_times := later_times || ended.next_attempt_at;
    end if;
    if ended.alert_cause is not null then
      causes := causes || ended.alert_cause;
      messages := messages || ended.alert_message;
    end if;
    return next;
  end loop;
  perform core.deliver_later(later_ids, later_times);
  perform core.call_line(freed);
  perform core.raise_alerts(causes, messages);
end
$$;
comment on function work.finish_deliveries is
  'Records what came of delivery attempts: [{ordinal, eventId, claimId, result: SendOutcome}], retryAfter in seconds: delivered, retry (by run_at on the '
  'next rung) or the reason of a dead letter; stale where the claim is not the event''s present one, which changes nothing. Specification 6.4 to 6.6.';
revoke all on function work.finish_deliveries from public;
grant execute on function work.finish_deliveries to supply_worker;
