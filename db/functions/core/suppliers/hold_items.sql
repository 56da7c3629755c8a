create or replace function core.hold_items(results supply.call_result[])
returns void
language plpgsql set search_path = pg_catalog, pg_temp
as $$
begin
  update supply.order_items i set
    held_at = coalesce(i.held_at, now()),
    held_reason = left(case
      when r.outcome = 'hold' then coalesce(r.error, 'its answer needs a look')
      when r.outcome = 'not_received' and i.recovered_at is not null
        and core.may_be_elsewhere(i.product_id, i.supplier, i.tried_suppliers)
        then format('after a restore %s does not know it; another supplier may have it', i.supplier)
      when r.outcome = 'not_received' and core.placed_before(r) = 'yes'
        then format('%s had it and does not know it now; sending it again is not safe', i.supplier)
      when r.outcome = 'not_received' then format('%s does not have it; sending it again is not safe', i.supplier)
      when r.outcome = 'failed' and core.denies_order(i.id, i.supplier, i.sent_at, r.error_code)
        then format('%s had the order, and says now that there is none: %s', i.supplier, r.error_code)
      else format('%s with %s codes for an amount of %s', r.outcome, cardinality(r.codes), i.amount)
    end, 500),
    supplier_order_id = coalesce(r.supplier_order_id, i.supplier_order_id),
    lease_expires_at = null, next_check_at = null, limited_at = null, limited_rank = null, next_call = 'get'
  from unnest(results) as r
  where i.id = r.item_id and r.verdict = 'held';
end
$$;
comment on function core.hold_items is
  'Holds the items whose result is held for an operator, with the reason. The caller holds the locks of the items.';
