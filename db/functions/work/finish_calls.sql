create or replace function work.finish_calls(results jsonb, deadline interval, unsafe_after interval, to_send int, pool_id text)
returns table (
  ordinal int, verdict text, ended_outcome text, ended_seconds double precision,
  event_id uuid, lease_token uuid, callback_url text, event_type text, body text, secret text, attempt int,
  request_id text, request_id_given boolean, traceparent text
)
language sql security definer set search_path = pg_catalog, pg_temp
as $$
  select r.ordinal, r.verdict, r.ended_outcome, r.ended_seconds, (r.attempt).*
  from core.finish_calls(
    (select jsonb_agg(e || jsonb_build_object('attemptId',
       (select a.id from supply.supplier_attempts a where a.lease_token = (e ->> 'leaseToken')::uuid)))
     from jsonb_array_elements(results) e),
    deadline, unsafe_after, to_send, pool_id) r
$$;
comment on function work.finish_calls is
  'Records the results of calls to suppliers: [{ordinal, itemId, leaseToken, result: SupplierOutcome}]; the deadline is how long a supplier may '
  'leave an item unsettled before it is stuck, and unsafe_after how long an item is looked for that its supplier does not have and that may not be '
  'sent again (supply.protocols.repeat_safe_for), before it is held for an operator. A result with an outdated fencing token (leaseToken) changes nothing. Returns a verdict for each, busy '
  'where another transaction has the lock of the item, its order or its account, and the result is to be recorded later. '
  'Further rows: for each order that ended, its outcome and the seconds since it was placed; for each first attempt to deliver an event that is leased to the caller, '
  'to_send at most, what work.begin_deliveries returns for it. The caller makes these attempts at once; pool_id is its worker pool.
nullable: ordinal, verdict, ended_outcome, ended_seconds, event_id, lease_token, callback_url, event_type, body, secret, attempt, request_id, request_id_given, traceparent';
