create or replace function core.replace_item_code(item_id uuid, old_code text, new_code text, note text, operator text)
returns text
language plpgsql set search_path = pg_catalog, pg_temp
as $$
declare
  of_item constant uuid := replace_item_code.item_id;
  of_order constant bigint := (select i.order_id from supply.order_items i where i.id = of_item);
  stored text;
  taken text;
begin
  select k.code into stored from supply.item_keys k
  where k.item_id = of_item and core.code_identity(k.code) = core.code_identity(old_code);
  if stored is null then
    return format('item %s has no such code as the old one; its codes: %s', of_item,
      (select count(*) from supply.item_keys k where k.item_id = of_item));
  end if;
  taken := core.taken_code(array[new_code]);
  if taken is not null then
    return 'the new code is refused: ' || taken;
  end if;
  insert into supply.replaced_codes (item_id, code, note, replaced_by)
  values (of_item, stored, replace_item_code.note, operator);
  update supply.item_keys k set code = new_code where k.item_id = of_item and k.code = stored;
  update supply.orders o set updated_at = now() where o.id = of_order;
  update supply.events e set body = (select n.body from core.order_events(array[of_order]) n)
  where e.order_id = of_order and e.event_type = 'order.completed';
  return null;
end
$$;
comment on function core.replace_item_code is
  'Replaces a code of an item, in its event too, and keeps the old one. Returns null, or why not: the item has not the
old code, or some item has the new one. The caller has locked the order and the item.';
