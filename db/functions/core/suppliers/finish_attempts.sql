create or replace function core.finish_attempts(answers jsonb[])
returns void
language plpgsql set search_path = pg_catalog, pg_temp set plan_cache_mode = force_generic_plan
as $$
begin
  update supply.supplier_attempts a set
    finished_at = clock_timestamp(),
    status_code = (answered.result ->> 'httpStatus')::int,
    outcome = answered.outcome,
    verdict = answered.verdict,
    error_code = left(answered.result ->> 'errorCode', 200),
    reason = left(answered.result ->> 'reason', 1000),
    error = left(answered.result ->> 'error', 500),
    cause = case when answered.outcome = 'not_placed' then left(answered.result ->> 'cause', 50) end,
    raw = left(answered.result ->> 'raw', 2000),
    supplier_order_id = left(answered.result ->> 'supplierOrderId', 200),
    codes = array(select jsonb_array_elements_text(coalesce(answered.result -> 'codes', '[]')))
  from (
    select (x ->> 'attemptId')::bigint as attempt_id, x ->> 'outcome' as outcome, x ->> 'verdict' as verdict, x -> 'result' as result
    from unnest(answers) as x
  ) as answered
  where a.id = answered.attempt_id and a.finished_at is null;
end
$$;
comment on function core.finish_attempts is
  'Completes the records of calls and pushes with the suppliers'' results and their verdicts.';
