create or replace function core.note_result(attempt_id bigint, result jsonb, verdict text)
returns void
language sql set search_path = pg_catalog, pg_temp
as $$
  update supply.supplier_attempts a set
    finished_at = clock_timestamp(),
    status_code = (result ->> 'httpStatus')::int,
    outcome = case when result ->> 'outcome' = 'answered' then result ->> 'status' else result ->> 'outcome' end,
    verdict = note_result.verdict,
    error_code = left(result ->> 'errorCode', 200),
    reason = left(result ->> 'reason', 1000),
    error = left(result ->> 'error', 500),
    raw = left(result ->> 'raw', 2000),
    supplier_order_id = left(result ->> 'supplierOrderId', 200),
    codes = array(select jsonb_array_elements_text(coalesce(result -> 'codes', '[]')))
  where a.id = attempt_id and a.finished_at is null
$$;
comment on function core.note_result is 'Completes the record of a supplier''s answer with what it said and what came of it.';
revoke all on function core.note_result from public;
