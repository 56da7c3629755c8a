create or replace function work.finish_calls(results jsonb, deadline interval, unsafe_after interval, to_send int)
returns table (ordinal int, verdict text, ended_outcome text, ended_seconds double precision, leased_attempt json)
language sql security definer set search_path = pg_catalog, pg_temp
as $$
  select r.ordinal, r.verdict, r.ended_outcome, r.ended_seconds, r.leased_attempt
  from core.finish_calls(
    (select jsonb_agg(e || jsonb_build_object('attemptId',
       (select a.id from supply.supplier_attempts a where a.claim_id = (e ->> 'claimId')::uuid)))
     from jsonb_array_elements(results) e),
    deadline, unsafe_after, to_send) r
$$;
comment on function work.finish_calls is
  'Records the results of calls to suppliers: [{ordinal, itemId, claimId, result: SupplierOutcome}]; the deadline is how long a supplier may '
  'leave an item unsettled before it is stuck, and unsafe_after how long an item is looked for that its supplier does not have and that may not be '
  'sent again (supply.protocols.repeat_safe_for), before it is held for an operator. A result with an outdated fencing token (claimId) changes nothing. Returns a verdict for each, busy '
  'where another transaction has the lock of the item, its order or its account, and the result is to be recorded later. '
  'Each order that ended is told of in one of the rows, whichever: its outcome, and the seconds since it was placed. '
  'leased_attempt is an attempt to deliver an event, whosever, that the caller makes at once: a row as work.begin_deliveries returns it, with a lease of 30 s. '
  'There are to_send of these at most.
nullable: ended_outcome, ended_seconds, leased_attempt';
