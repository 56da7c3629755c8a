create or replace function core.placed_before(result supply.call_result)
returns text
language sql stable set search_path = pg_catalog, pg_temp
as $$
  select case
    when bool_or(a.outcome in ('processing', 'completed', 'failed', 'hold')) then 'yes'
    when count(*) > 0 then 'perhaps'
    else 'no'
  end
  from supply.supplier_attempts a
  where a.item_id = result.item_id and a.supplier = result.supplier and a.id <> result.attempt_id
    and a.method <> 'operator' and (a.method <> 'put' or a.outcome is distinct from 'not_placed')
    -- By sending an item again, the operator states that the supplier did not have it before.
    and a.id > coalesce((
      select max(o.id) from supply.supplier_attempts o
      where o.item_id = result.item_id and o.supplier = result.supplier and o.method = 'operator'), 0)
$$;
comment on function core.placed_before is
  'Returns whether the supplier has an order of the item by another call than this one: yes, as the supplier said; no,
because each other call certainly placed none; or perhaps.';
