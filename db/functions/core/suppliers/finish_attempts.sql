create or replace function core.finish_attempts(answers jsonb[])
returns void
language plpgsql set search_path = pg_catalog, pg_temp
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
    select unfinished.ctid as at, x ->> 'outcome' as outcome, x ->> 'verdict' as verdict, x -> 'result' as result
    from unnest(answers) as x
    cross join lateral (
      select u.ctid from supply.supplier_attempts u where u.id = (x ->> 'attemptId')::bigint and u.finished_at is null offset 0
    ) as unfinished
  ) as answered
  -- A join by id has a plan that is made while the table is empty read all of it, and the plan is kept.
  where a.ctid = answered.at;
end
$$;
comment on function core.finish_attempts is
  'Completes the records of calls and pushes with the suppliers'' results and their verdicts.';
