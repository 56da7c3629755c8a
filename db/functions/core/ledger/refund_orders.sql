create or replace function core.refund_orders(order_ids bigint[])
returns void
language plpgsql set search_path = pg_catalog, pg_temp
as $$
declare
  entries supply.ledger_entry[];
begin
  if cardinality(order_ids) = 0 then
    return;
  end if;
  perform 1 from supply.accounts a
  where a.id = any (array(select (select o.account_id from supply.orders o where o.id = n) from unnest(order_ids) as n))
  order by a.id for no key update;
  with refunded as (
    update supply.order_items i set refunded_amount = i.price * i.amount
    -- guard: only failed items are refunded
    where i.order_id = any (order_ids) and i.status = 'failed'
    returning i.id, i.order_id, i.position, i.part, i.refunded_amount
  )
  select array_agg(row(o.account_id, 'order_refund', r.refunded_amount, o.id, r.id, null, null, null)
    ::supply.ledger_entry order by r.order_id, r.position, r.part)
  into entries
  from refunded r
  cross join lateral (select o.* from supply.orders o where o.id = r.order_id offset 0) as o;
  perform core.post_entries(entries);
  perform core.raise_alerts(array(
    select row('closed_account', a.currency, a.id, format(
      'closed account %s (%s) got a refund of %s %s: its balance is %s', a.id, a.name, r.amount, a.currency, a.balance)
      )::supply.occurrence
    from (select e.account_id, sum(e.amount) as amount from unnest(entries) as e group by e.account_id) as r
    join supply.accounts a on a.id = r.account_id
    where not a.active));
end
$$;
comment on function core.refund_orders is
  'Refunds the failed items of final orders (account currency), a ledger row an item. Locks the accounts. Call it once
an order. Specification 3.';
