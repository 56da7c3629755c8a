create or replace function core.choose_again(item_ids uuid[])
returns void
language plpgsql set search_path = pg_catalog, pg_temp
as $$
declare
  item supply.order_items;
  is_paused boolean;
  offer core.active_offers;
begin
  for item in
    select i.* from supply.order_items i join supply.suppliers s on s.code = i.supplier
    where i.id = any (item_ids) and i.next_call = 'put' and i.sent_at is null and i.recovered_at is null
      and (s.paused_at is not null or s.open_since is not null)
    order by i.order_id, i.position
  loop
    select s.paused_at is not null into is_paused from supply.suppliers s where s.code = item.supplier;
    continue when not is_paused and core.take_trial(item.supplier);
    select o.* into offer from core.active_offers o join supply.suppliers s on s.code = o.supplier
    where o.product_id = item.product_id and o.supplier <> item.supplier and o.supplier <> all (item.tried_suppliers) and s.paused_at is null and s.open_since is null
    order by o.place limit 1;
    if offer.supplier is not null then
      update supply.order_items i set
        supplier = offer.supplier, sku = offer.sku, cost = offer.cost, checks = 0, supplier_order_id = null, lease_token = null, limited_at = null
      where i.id = item.id;
    elsif is_paused then
      -- Until then another one may be able to serve; the end of the pause makes it due at once.
      update supply.order_items i set next_check_at = now() + (4.5 + random()) * interval '1 minute', limited_at = null where i.id = item.id;
    end if;
  end loop;
end
$$;
comment on function core.choose_again is
  'Gives items that were never sent, and whose supplier is paused or has an open circuit, to the best other one that can serve and has not refused them. '
  'Without one, those of a paused supplier wait, and those of an open circuit are sent all the same. Once a minute one item stays with an '
  'open circuit, as a trial. The caller holds the locks of the suppliers (core.lock_choices) and of the items.';
