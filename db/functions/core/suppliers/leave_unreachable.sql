create or replace function core.leave_unreachable(results supply.call_result[])
returns void
language plpgsql set search_path = pg_catalog, pg_temp
as $$
declare
  item supply.order_items;
  offer core.active_offers;
  is_later boolean;
begin
  for item in
    select i.* from supply.order_items i
    where i.id = any (array(
        select r.item_id from unnest(results) as r
        where r.verdict = 'waiting' and r.outcome = 'not_placed' and r.cause = 'unreachable'))
      and i.completed_at is null and i.held_at is null and i.sent_at is null and i.recovered_at is null
  loop
    offer := core.next_offer(item, must_serve => true);
    continue when offer.supplier is null;
    -- After the last offer the item waits, and begins again with the best.
    is_later := core.is_later_offer(item, offer.place);
    perform core.move_item(item, offer,
      checks => case when is_later then greatest(item.checks - 1, 0) else item.checks end,
      due_at => case when is_later then now() else item.next_check_at end);
  end loop;
end
$$;
comment on function core.leave_unreachable is
  'Gives items that were certainly not sent, because their supplier could not be reached, to the next offer: at once, or after the
last offer by the polling step. Call it after core.plan_calls; the caller holds the locks of the items.';
