create or replace function core.choose_again(item_ids uuid[])
returns void
language plpgsql set search_path = pg_catalog, pg_temp
as $$
declare
  item supply.order_items;
  offer core.active_offers;
begin
  for item in
    select i.* from supply.order_items i join supply.suppliers s on s.code = i.supplier
    where i.id = any (item_ids) and i.completed_at is null and coalesce(i.lease_expires_at, i.next_check_at) <= now()
      and i.next_call = 'put' and i.sent_at is null and i.recovered_at is null
      and (s.paused_at is not null or s.open_since is not null)
    order by i.order_id, i.position
  loop
    update supply.suppliers s set trial_at = now() + interval '1 minute'
    where s.code = (
      select t.code from supply.suppliers t
      where t.code = item.supplier and t.paused_at is null and t.open_since is not null and t.trial_at <= now()
      for no key update skip locked);
    continue when found;
    offer := core.next_offer(item, must_serve => true);
    if offer.supplier is not null then
      perform core.move_item(item, offer);
    end if;
  end loop;
end
$$;
comment on function core.choose_again is
  'Moves due items that were never sent from a supplier that is paused, or has an open circuit, to another that can
serve. Without one they stay. One item a minute tries an open circuit. The caller holds the locks of the items.';
