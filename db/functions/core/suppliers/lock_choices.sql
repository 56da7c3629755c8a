create or replace function core.lock_choices(item_ids uuid[])
returns void
language sql set search_path = pg_catalog, pg_temp
as $$
  with special as (
    select i.product_id, i.supplier, s.paused_at is not null or s.open_since is not null as may_move
    from supply.order_items i join supply.suppliers s on s.code = i.supplier
    where i.id = any (item_ids)
      and (s.paused_at is not null or s.open_since is not null or s.max_calls is not null or s.max_per_second is not null)
  )
  select from supply.suppliers s
  where s.code in (
    select p.supplier from special p
    union all
    select o.supplier from special p join supply.offers o on o.product_id = p.product_id where p.may_move)
  order by s.code for no key update
$$;
comment on function core.lock_choices is
  'Locks by code, at once, the suppliers of items whose calls are limited, and all to which items may move that leave a paused one
or one with an open circuit. Call it before the items are locked.';
