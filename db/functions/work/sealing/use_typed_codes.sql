create or replace function work.use_typed_codes(wanted_id uuid, version text, codes text[])
returns void
language plpgsql security definer set search_path = pg_catalog, pg_temp
as $$
declare
  item supply.order_items;
  typed supply.typed_codes;
  fault text;
  delivered int;
begin
  perform 1 from supply.orders o
  where o.id = (select i.order_id from supply.order_items i where i.id = wanted_id) for no key update;
  perform core.refuse_closed_keys(codes);
  select i.* into item from supply.order_items i where i.id = wanted_id for no key update;
  delete from supply.typed_codes t
  where t.item_id = wanted_id and t.xmin::text = use_typed_codes.version
  returning t.* into typed;
  if typed.item_id is null then
    return;
  end if;
  if typed.action = 'replace' then
    fault := core.replace_item_code(item.id, codes[1], codes[2], typed.reason, typed.typed_by);
  else
    delivered := cardinality(core.codes_to_deliver(item, typed.action, codes));
    fault := case
      when item.completed_at is not null then format('it is final already: %s', item.status)
      when (typed.action = 'completed') <> (delivered = item.amount)
        then format('it would have %s codes for an amount of %s', delivered, item.amount)
      else core.taken_code(core.codes_to_deliver(item, typed.action, codes), by_others_than => item.id) end;
    if fault is null then
      perform core.settle_by_hand(item, typed.action, codes, typed.reason);
    elsif item.completed_at is null then
      update supply.order_items i set held_at = coalesce(i.held_at, now()), next_check_at = null,
        held_reason = left(format('the codes that %s typed were refused: %s', typed.typed_by, fault), 500)
      where i.id = item.id and i.lease_expires_at is null;
    end if;
  end if;
  if fault is not null then
    perform core.raise_alerts(array[row('codes_refused', 'item ' || item.id, null, format(
      'the codes that %s typed for item %s of order %s were refused: %s', typed.typed_by, item.id,
      (select o.code from supply.orders o where o.id = item.order_id), fault))::supply.occurrence]);
  end if;
end
$$;
comment on function work.use_typed_codes is
  'Settles an item, or replaces a code, with the sealed form of what an operator typed. Does nothing if he typed other
codes since that version. A code that another item has is refused: the item is held, and operators are alerted.';
