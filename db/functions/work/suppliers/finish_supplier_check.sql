create or replace function work.finish_supplier_check(check_id uuid, outcome text, status_code int, error text)
returns void
language sql security definer set search_path = pg_catalog, pg_temp
as $$
  update supply.supplier_checks c set
    answered_at = clock_timestamp(), outcome = finish_supplier_check.outcome,
    status_code = finish_supplier_check.status_code, error = left(finish_supplier_check.error, 500)
  where c.id = check_id and c.answered_at is null
$$;
comment on function work.finish_supplier_check is
  'Records the result of a check''s call: outcome, HTTP status and error of a SupplierOutcome. A check that a later
one replaced stays as it is.
nullable: status_code, error';
