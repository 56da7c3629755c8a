create or replace function core.leave_unreachable(results supply.call_result[])
returns void
language plpgsql set search_path = pg_catalog, pg_temp
as $$
declare
  item supply.order_items;
  offer record;
begin
  for item in
    select i.* from supply.order_items i
    where i.id in (
        select r.item_id from unnest(results) as r
        where r.verdict = 'waiting' and r.outcome = 'not_placed' and r.cause = 'unreachable')
      and i.completed_at is null and i.held_at is null and i.sent_at is null and i.recovered_at is null
    order by i.id
  loop
    -- The offers in turn: after the last one the item waits, and begins again with the best.
    select o.supplier, o.sku, o.cost, o.place > coalesce(present.place, 0) as is_next into offer
    from core.active_offers o
    join supply.suppliers s on s.code = o.supplier
    left join core.active_offers present on present.product_id = item.product_id and present.supplier = item.supplier
    where o.product_id = item.product_id and o.supplier <> item.supplier and o.supplier <> all (item.tried_suppliers)
      and s.paused_at is null and s.open_since is null
    order by o.place > coalesce(present.place, 0) desc, o.place limit 1;
    continue when not found;
    update supply.order_items i set
      supplier = offer.supplier, sku = offer.sku, cost = offer.cost, supplier_order_id = null, lease_token = null, limited_at = null,
      checks = case when offer.is_next then greatest(i.checks - 1, 0) else i.checks end,
      next_check_at = case when offer.is_next then now() else i.next_check_at end
    where i.id = item.id;
  end loop;
end
$$;
comment on function core.leave_unreachable is
  'Gives items that were certainly not sent, because their supplier could not be reached, to the next offer: at once, or after the
last offer by the polling step. Call it after core.plan_calls; the caller holds the locks of the items.';
