create or replace view core.items_to_ask as
select i.id from supply.order_items i
where i.recovered_at is not null and i.completed_at is null and i.held_at is null
  and not exists (select from supply.suppliers s where s.code = i.supplier and s.protocol = 'stock')
  and not exists (
    select from supply.supplier_attempts a
    where a.item_id = i.id and a.finished_at >= i.recovered_at and a.outcome not in ('unknown', 'not_placed'));
comment on view core.items_to_ask is
  'The items that were open at a restore, are not held, and have had no answer since. Our own stock answers nothing.';
