create or replace function core.write_orders(decisions supply.order_decision[])
returns uuid[]
language plpgsql set search_path = pg_catalog, pg_temp
as $$
declare
  charges supply.ledger_entry[];
  item_ids uuid[];
begin
  if cardinality(decisions) = 0 then
    return '{}';
  end if;
  if exists (select from unnest(decisions) as d where d.room is not null) then
    perform core.count_spending(decisions);
  end if;
  with written as (
    insert into supply.orders
      (id, code, account_id, number, idempotency_key, external_order_id, callback_url, request_items, total_amount,
       currency, request_id, request_id_given, traceparent, key_id, client, created_at, updated_at)
    overriding system value
    select d.order_id, 'ord_' || replace(gen_random_uuid()::text, '-', ''), (d.request).account_id,
      coalesce(max(newest.number) over same_account, 0) + d.place, (d.request).idempotency_key,
      (d.request).external_order_id, (d.request).callback_url, d.request_items, d.total, d.currency,
      (d.request).request_id, (d.request).request_id_given, (d.request).traceparent, (d.request).key_id,
      network(set_masklen((d.request).client, case family((d.request).client) when 4 then 24 else 48 end)),
      -- The transaction may have begun long ago, and a clock may have been set back: times follow the numbers.
      -- Spending limits count by the same time.
      greatest(statement_timestamp(), max(newest.created_at) over same_account),
      greatest(statement_timestamp(), max(newest.created_at) over same_account)
    from (
      select d.*, row_number() over (partition by (d.request).account_id order by d.order_id) as place
      from unnest(decisions) as d
    ) as d
    left join lateral (
      select o.number, o.created_at from supply.orders o where d.place = 1 and o.account_id = (d.request).account_id
      order by o.number desc limit 1) as newest on true
    window same_account as (partition by (d.request).account_id)
    returning id, account_id, total_amount
  )
  select array_agg(row(w.account_id, 'order_charge', -w.total_amount, w.id, null, null, null, null)
    ::supply.ledger_entry order by w.id) into charges from written w;

  with added as (
    insert into supply.order_items
      (id, order_id, position, product_id, product_name, delivery_type, delivery_data, amount, price, supplier, sku,
       cost, supplier_cost, supplier_currency, rate, next_check_at, limited_at, limited_rank)
    select core.time_ordered_uuid(), d.order_id, i.place - 1, i.product_id, i.product_name, i.delivery_type,
      i.delivery_data, i.quantity, i.price, i.supplier, i.sku, i.cost, i.supplier_cost,
      i.supplier_currency, i.rate, now(), case when line.is_busy then now() end, case when line.is_busy then 0 end
    from unnest(decisions) as d cross join lateral unnest(d.items) as i
    cross join lateral (
      -- Of an open circuit an item goes to another supplier at once.
      select case when (
        -- Usually none waits. Then no function is called.
        select true from supply.order_items w
        where w.supplier = i.supplier and w.limited_at is not null and w.limited_rank >= 0 and w.completed_at is null
        limit 1)
        then core.items_wait(i.supplier)
          and exists (select from supply.suppliers s where s.code = i.supplier and s.open_since is null)
      end as is_busy offset 0) as line
    returning id, limited_rank
  )
  select coalesce(array_agg(a.id) filter (where a.limited_rank is null), '{}') into item_ids from added a;

  perform core.post_entries(charges);
  return item_ids;
end
$$;
comment on function core.write_orders is
  'Writes the orders that core.decide_orders accepted, with their items and charges. Returns the items that need a job:
all but those for whose supplier others wait already. The caller holds the locks of the accounts.';
