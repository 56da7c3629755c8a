create or replace function work.record_results(results jsonb, deadline interval)
returns table (ordinal int, verdict text)
language sql security definer set search_path = pg_catalog, pg_temp
as $$
  select r.ordinal, r.verdict
  from core.record_results(
    (select jsonb_agg(e || jsonb_build_object('attemptId',
       (select a.id from supply.supplier_attempts a where a.claim_id = (e ->> 'claimId')::uuid)))
     from jsonb_array_elements(results) e),
    deadline) r
$$;
comment on function work.record_results is
  'Records what came of calls to suppliers: [{ordinal, itemId, claimId, result: SupplierOutcome}]; the deadline is how long a supplier may '
  'leave a line unsettled before it is stuck. A result whose claim is not the line''s present one changes nothing. Gives a verdict each.';
