create or replace function core.lock_choices(item_ids uuid[])
returns boolean
language plpgsql set search_path = pg_catalog, pg_temp
as $$
begin
  perform 1 from supply.order_items i join supply.suppliers s on s.code = i.supplier
  where i.id = any (item_ids)
    and (s.paused_at is not null or s.open_since is not null or s.max_calls is not null or s.per_minute is not null);
  if not found then
    return false;
  end if;
  perform 1 from supply.suppliers s
  where s.code = any (array(
    select i.supplier from supply.order_items i where i.id = any (item_ids)
    union
    select o.supplier from supply.order_items i join supply.offers o on o.product_id = i.product_id
    where i.id = any (item_ids)))
  order by s.code for no key update;
  return true;
end
$$;
comment on function core.lock_choices is
  'Returns whether the supplier of an item is paused or limited, or has an open circuit. If so, locks by code all
suppliers to which the items may go. Call it before the items are locked.';
