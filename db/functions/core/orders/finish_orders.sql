create or replace function core.finish_orders(order_ids bigint[], to_send int default 0, pool_id text default null)
returns supply.recorded
language plpgsql set search_path = pg_catalog, pg_temp
as $$
declare
  ended record;
  leased uuid[];
  -- Not the beginning of the transaction: the order does not end before its items.
  ended_at constant timestamptz := clock_timestamp();
begin
  if cardinality(order_ids) = 0 then
    return row('{}', '{}', '{}')::supply.recorded;
  end if;
  -- Not materialized, a plan may count the items of all orders again for each of them.
  with counted as materialized (
    select i.order_id, count(*) filter (where i.completed_at is null) as open,
      count(*) filter (where i.status = 'completed') as completed,
      count(*) filter (where i.status = 'failed') as failed,
      coalesce(sum(i.price * i.amount) filter (where i.status = 'failed'), 0) as refundable,
      bool_or(i.recovered_at is not null) as is_recovered,
      (array_agg(i.buyer_reason order by i.position, i.part) filter (where i.buyer_reason is not null))[1] as reason
    from supply.order_items i where i.order_id = any (order_ids) group by i.order_id
  ), changed as (
    update supply.orders o set
      status = case when c.open > 0 then o.status when c.failed = 0 then 'completed' else 'failed' end,
      outcome = case
        when c.open > 0 then null when c.failed = 0 then 'full' when c.completed = 0 then 'none' else 'partial' end,
      refunded_amount = case when c.open > 0 then o.refunded_amount else c.refundable end,
      reason = case when c.open = 0 then c.reason end,
      completed_at = case when c.open = 0 then ended_at end, updated_at = ended_at
    -- guard: a final order does not end again
    from counted c where o.id = c.order_id and o.id = any (order_ids) and o.completed_at is null
    returning o.id, o.account_id, o.created_at, o.completed_at, o.outcome, o.refunded_amount, o.callback_url,
      c.is_recovered
  )
  select coalesce(array_agg(c.id), '{}') as ids, array_agg(c.account_id) as account_ids,
    coalesce(array_agg(c.id) filter (where c.refunded_amount > 0), '{}') as refunded,
    -- An order that was open in the restored database may have ended and been announced before.
    coalesce(array_agg(c.id) filter (where c.is_recovered and exists (
      select from supply.recoveries r where r.ended_at is null)), '{}') as recovered,
    coalesce(array_agg(c.id) filter (where c.callback_url is not null), '{}') as announced,
    array_agg(c.account_id) filter (where c.callback_url is not null) as announced_to,
    coalesce(array_agg(row(
      c.outcome, extract(epoch from c.completed_at - c.created_at))::supply.ended_order), '{}') as orders
  into ended from changed c where c.completed_at is not null;
  -- guard: a failed item is refunded, and once
  perform core.refund_orders(ended.refunded);
  leased := core.announce_orders(ended.announced, ended.announced_to, ended.recovered, to_send, pool_id);
  perform core.number_results(ended.ids, ended.account_ids);
  return row('{}', ended.orders, core.leased_attempts(leased))::supply.recorded;
end
$$;
comment on function core.finish_orders is
  'Ends the orders whose items are all final: status, outcome, refund, event, number of the result. In a recovery,
events of earlier orders are held. Returns the orders that ended, and the first attempts that it leased to pool_id,
to_send at most; no answers. The caller holds the locks of the orders. Specification 3.';
