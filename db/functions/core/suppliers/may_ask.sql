create or replace function core.may_ask(item supply.order_items)
returns boolean
language sql stable set search_path = pg_catalog, pg_temp
as $$
  select not core.asks_by_repeating(item.supplier)
    or item.sent_at is null and not restored.counts
    or case
      when restored.counts then core.repeat_is_safe(item.supplier, o.created_at, null) and (
        not core.may_be_elsewhere(item.product_id, item.supplier, item.tried_suppliers)
        or exists (
          select from supply.supplier_attempts a
          where a.item_id = item.id and a.supplier = item.supplier and a.outcome = 'processing'))
      else core.repeat_is_safe(item.supplier, item.sent_at, null)
    end
  from supply.orders o
  cross join lateral (
    -- By sending an item again after a restore, the operator states that no supplier has it.
    select item.recovered_at is not null and not exists (
      select from supply.supplier_attempts a
      where a.item_id = item.id and a.supplier = item.supplier and a.verdict = 'sent_again'
        and a.finished_at >= item.recovered_at) as counts
  ) as restored
  where o.id = item.order_id
$$;
comment on function core.may_ask is
  'Returns whether the next call about an item certainly makes no second order. It may where a supplier is asked by
sending the order again: after repeat_safe_for, and after a restore, when another supplier may have the item. What was
sent after the back-up was sent after the order was placed.';
