create or replace function api.record_push(supplier text, item_id uuid, result jsonb)
returns text
language plpgsql security definer set search_path = pg_catalog, pg_temp
as $$
declare
  attempt_id bigint;
begin
  if not exists (
    select from supply.supplier_attempts a where a.item_id = record_push.item_id and a.supplier = record_push.supplier
  ) then
    return 'unknown_reference';
  end if;
  insert into supply.supplier_attempts (item_id, supplier, method)
  values (record_push.item_id, record_push.supplier, 'push')
  returning id into attempt_id;
  -- A push is never what makes a line stuck, so its deadline is out of reach. PostgreSQL 16 has no infinite interval.
  perform core.record_results(
    jsonb_build_array(jsonb_build_object('ordinal', 1, 'itemId', item_id, 'attemptId', attempt_id, 'result', result)),
    '1000 years');
  return 'recorded';
end
$$;
comment on function api.record_push is
  'Records a result that a supplier pushed (a SupplierOutcome) about a line: recorded, or unknown_reference where that supplier never had it.';
revoke all on function api.record_push from public;
grant execute on function api.record_push to supply_api;
