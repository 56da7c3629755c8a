create or replace function core.finish_attempts(results supply.call_result[])
returns void
language plpgsql set search_path = pg_catalog, pg_temp
as $$
begin
  update supply.supplier_attempts a set
    finished_at = clock_timestamp(),
    status_code = r.http_status,
    outcome = r.outcome,
    verdict = r.verdict,
    error_code = left(r.error_code, 200),
    reason = left(r.reason, 1000),
    error = left(r.error, 500),
    cause = case when r.outcome = 'not_placed' then left(r.cause, 50) end,
    -- What was erased comes back by no late answer.
    raw = case when r.raw is not null and not exists (
      select from supply.order_items i join supply.orders o on o.id = i.order_id
      where i.id = r.item_id and o.items_fingerprint is not null) then r.raw end,
    supplier_order_id = left(r.supplier_order_id, 200),
    codes = r.codes
  from (
    select r.*, begun.ctid as at
    from unnest(results) as r
    -- As a condition of the search, the second one would have all calls under way read for each of them.
    cross join lateral (
      select u.ctid, u.finished_at from supply.supplier_attempts u where u.id = r.attempt_id offset 0) as begun
    where begun.finished_at is null
  ) as r
  -- A join by id has a plan that is made while the table is empty read all of it, and the plan is kept.
  where a.ctid = r.at;
end
$$;
comment on function core.finish_attempts is 'Writes results and verdicts into the records of calls and pushes.';
