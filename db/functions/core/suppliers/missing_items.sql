create or replace view core.missing_items as
select i.id from supply.order_items i
where i.held_at is not null and i.completed_at is null
  and (
    -- It cannot be asked for (core.may_ask).
    exists (
      select from supply.suppliers s join supply.protocols p on p.name = s.protocol
      where s.code = i.supplier and p.asks_by_repeating
        and (i.recovered_at is not null or i.sent_at + p.repeat_safe_for <= now() + interval '1 minute'))
    or (
      select a.outcome = 'not_received' and a.method = 'get' from supply.supplier_attempts a
      where a.item_id = i.id and a.supplier = i.supplier and a.finished_at >= coalesce(i.recovered_at, '-infinity')
      order by a.id desc limit 1))
  and not exists (select from supply.item_keys k where k.item_id = i.id);
comment on view core.missing_items is
  'Held items without codes of which their supplier said last that it does not have them, or that it cannot be asked
for: ops.send_item may send them.';
comment on column core.missing_items.id is 'The item.';
