create or replace function core.refund_orders(order_ids bigint[])
returns void
language plpgsql set search_path = pg_catalog, pg_temp
as $$
begin
  if cardinality(order_ids) = 0 then
    return;
  end if;
  perform 1 from supply.accounts a
  where a.id = any (array(select o.account_id from supply.orders o where o.id = any (order_ids)))
  order by a.id for no key update;
  with refunds as (
    select i.id as item_id, o.id as order_id, o.account_id, o.payment_code, i.price * i.amount as amount,
      row_number() over by_account as place, sum(i.price * i.amount) over by_account as so_far
    from supply.orders o join supply.order_items i on i.order_id = o.id and i.status = 'failed'
    where o.id = any (order_ids)
    window by_account as (partition by o.account_id order by o.id, i.position, i.part)
  ), marked as (
    update supply.order_items i set refunded_amount = r.amount from refunds r where i.id = r.item_id
  ), booked as (
    insert into supply.ledger (account_id, seq, type, amount, balance_after, currency, order_id, item_id, payment_code)
    select a.id, a.last_seq + r.place, 'order_refund', r.amount, a.balance + r.so_far, a.currency, r.order_id, r.item_id, r.payment_code
    from refunds r join supply.accounts a on a.id = r.account_id
    order by a.id, r.place
  )
  update supply.accounts a set balance = a.balance + r.amount, last_seq = a.last_seq + r.entries
  from (select r.account_id, sum(r.amount) as amount, count(*) as entries from refunds r group by r.account_id) as r
  where a.id = r.account_id;
end
$$;
comment on function core.refund_orders is
  'Refunds the failed items of final orders (account currency): a ledger row an item, numbered and summed up by account. Locks the accounts. '
  'Call it once an order. Specification 3.';
