create or replace function core.write_orders(drafts jsonb[])
returns uuid[]
language plpgsql set search_path = pg_catalog, pg_temp set plan_cache_mode = force_generic_plan
as $$
declare
  item_ids uuid[];
  -- The transaction may have begun long before it had its turn: its own time would not be in the order of the orders.
  placed_at timestamptz := clock_timestamp();
begin
  if cardinality(drafts) = 0 then
    return '{}';
  end if;
  insert into supply.orders
    (code, account_id, idempotency_key, external_order_id, callback_url, request_items, total_amount, currency, payment_code,
     created_at, updated_at)
  select d ->> 'code', (d ->> 'accountId')::bigint, d ->> 'idempotencyKey', d ->> 'externalOrderId', d ->> 'callbackUrl',
    d -> 'items', (d ->> 'total')::numeric, d ->> 'currency', d ->> 'paymentCode', placed_at, placed_at
  from unnest(drafts) with ordinality as draft (d, place)
  order by place;

  with written as (
    select o.id, draft.d
    from unnest(drafts) as draft (d)
    cross join lateral (select o.id from supply.orders o where o.code = draft.d ->> 'code' offset 0) o
  ), charged as (
    insert into supply.ledger (account_id, seq, type, amount, balance_after, currency, order_id, payment_code)
    select (w.d ->> 'accountId')::bigint, (w.d ->> 'seq')::bigint, 'order_charge', -(w.d ->> 'total')::numeric,
      (w.d ->> 'balanceAfter')::numeric, w.d ->> 'currency', w.id, w.d ->> 'paymentCode'
    from written w
  ), added as (
    insert into supply.order_items
      (order_id, position, product_id, product_name, delivery_type, delivery_data, amount, price, supplier, sku, next_check_at)
    select w.id, (p ->> 'position')::int, (p ->> 'productId')::int, p ->> 'productName', p ->> 'deliveryType',
      p -> 'deliveryData', (p ->> 'amount')::int, (p ->> 'price')::numeric, p ->> 'supplier', p ->> 'sku', now()
    from written w cross join lateral jsonb_array_elements(w.d -> 'pricedItems') p
    returning id
  )
  select array_agg(a.id) into item_ids from added a;

  update supply.accounts a
  set balance = spent.balance, last_seq = spent.seq
  from (
    select (d ->> 'accountId')::bigint as id, min((d ->> 'balanceAfter')::numeric) as balance, max((d ->> 'seq')::bigint) as seq
    from unnest(drafts) as draft (d) group by 1
  ) spent
  where a.id = spent.id;

  return item_ids;
end
$$;
comment on function core.write_orders is
  'Writes priced orders with their items and ledger rows, spends the balances once an account, and gives the ids of the items. '
  'The caller holds the locks of the accounts and has counted seq and balanceAfter. To plan it takes longer than to run it: the plan is kept.';
