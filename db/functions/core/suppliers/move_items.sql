create or replace function core.move_items(results supply.call_result[])
returns void
language plpgsql set search_path = pg_catalog, pg_temp
as $$
declare
  refused record;
  offer core.active_offers;
  is_later boolean;
begin
  for refused in
    select i as item, r.verdict = 'next_supplier' as is_out_of_stock
    from unnest(results) as r join supply.order_items i on i.id = r.item_id
    where r.verdict = 'next_supplier' or r.outcome = 'not_placed' and r.cause = 'unreachable'
      and r.verdict = 'waiting' and i.held_at is null and i.sent_at is null and i.recovered_at is null
  loop
    offer := core.next_offer(refused.item, must_serve => not refused.is_out_of_stock);
    continue when offer.supplier is null;
    if refused.is_out_of_stock then
      update supply.order_items i set tried_suppliers = i.tried_suppliers || i.supplier
      where i.id = (refused.item).id;
      perform core.move_item(refused.item, offer);
    else
      -- After the last offer the item waits, and begins again with the best.
      is_later := core.is_later_offer(refused.item, offer.place);
      perform core.move_item(refused.item, offer,
        checks => case when is_later then greatest((refused.item).checks - 1, 0) else (refused.item).checks end,
        due_at => case when is_later then now() else (refused.item).next_check_at end);
    end if;
  end loop;
end
$$;
comment on function core.move_items is
  'Gives items to the next offer: those refused as out of stock, and those that were certainly not sent because the
supplier could not be reached; these wait for their polling step where the best offer is next. Call it after
core.plan_calls. The caller holds the locks of the items.';
