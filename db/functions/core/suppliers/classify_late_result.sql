create or replace function core.classify_late_result(result supply.call_result)
returns text
language sql stable set search_path = pg_catalog, pg_temp
as $$
  select case
    when result.outcome not in ('completed', 'failed') and not (result.outcome = 'hold' and result.codes <> '{}')
      then 'stale'
    when exists (
      select from supply.supplier_attempts a
      where a.item_id = i.id and a.supplier = result.supplier and a.outcome = result.outcome and a.verdict <> 'stale'
        and core.code_identities(a.codes) <@ core.code_identities(result.codes)
        and core.code_identities(a.codes) @> core.code_identities(result.codes)) then 'repeated'
    when i.completed_at is not null and i.supplier = result.supplier and i.status = result.outcome then 'late'
    else 'contradicting'
  end
  from supply.order_items i where i.id = result.item_id
$$;
comment on function core.classify_late_result is
  'Returns the verdict on a result for an item that is final or has left the supplier: stale, repeated, late or
contradicting. Operators are alerted of the last two.';
