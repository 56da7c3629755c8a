create or replace function work.finish_calls(results jsonb, deadline interval)
returns table (ordinal int, verdict text)
language sql security definer set search_path = pg_catalog, pg_temp
as $$
  select r.ordinal, r.verdict
  from core.finish_calls(
    (select jsonb_agg(e || jsonb_build_object('attemptId',
       (select a.id from supply.supplier_attempts a where a.claim_id = (e ->> 'claimId')::uuid)))
     from jsonb_array_elements(results) e),
    deadline) r
$$;
comment on function work.finish_calls is
  'Records the results of calls to suppliers: [{ordinal, itemId, claimId, result: SupplierOutcome}]; the deadline is how long a supplier may '
  'leave an item unsettled before it is stuck. A result with an outdated fencing token (claimId) changes nothing. Returns a verdict for each.';
