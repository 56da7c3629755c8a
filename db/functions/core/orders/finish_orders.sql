create or replace function core.finish_orders(order_ids bigint[], to_send int default 0)
returns table (outcome text, seconds double precision, leased_attempt json)
language plpgsql set search_path = pg_catalog, pg_temp
as $$
#variable_conflict use_column
declare
  ended bigint[];
  accounts bigint[];
  outcomes text[];
  times double precision[];
  refunded bigint[];
  recovered bigint[];
  to_announce bigint[];
  announced_to bigint[];
  to_make uuid[];
  attempts json[];
begin
  if cardinality(order_ids) = 0 then
    return;
  end if;
  with counted as (
    select i.order_id, count(*) filter (where i.completed_at is null) as open,
      count(*) filter (where i.status = 'completed') as completed, count(*) filter (where i.status = 'failed') as failed,
      coalesce(sum(i.price * i.amount) filter (where i.status = 'failed'), 0) as refundable,
      bool_or(i.recovered_at is not null) as is_recovered,
      (array_agg(i.buyer_reason order by i.position, i.part) filter (where i.buyer_reason is not null))[1] as reason
    from supply.order_items i where i.order_id = any (order_ids) group by i.order_id
  ), changed as (
    update supply.orders o set
      status = case when c.open > 0 then o.status when c.failed = 0 then 'completed' else 'failed' end,
      outcome = case when c.open > 0 then null when c.failed = 0 then 'full' when c.completed = 0 then 'none' else 'partial' end,
      refunded_amount = case when c.open > 0 then o.refunded_amount else c.refundable end,
      reason = case when c.open = 0 then c.reason end,
      completed_at = case when c.open = 0 then now() end, updated_at = now()
    from counted c where o.id = c.order_id and o.completed_at is null
    returning o.id, o.account_id, o.created_at, o.completed_at, o.outcome, o.refunded_amount, o.callback_url, c.is_recovered
  )
  select coalesce(array_agg(c.id), '{}'), array_agg(c.account_id), coalesce(array_agg(c.id) filter (where c.refunded_amount > 0), '{}'),
    coalesce(array_agg(c.id) filter (where c.is_recovered), '{}'), coalesce(array_agg(c.id) filter (where c.callback_url is not null), '{}'),
    array_agg(distinct c.account_id) filter (where c.callback_url is not null), array_agg(c.outcome),
    array_agg(extract(epoch from c.completed_at - c.created_at)::double precision)
  into ended, accounts, refunded, recovered, to_announce, announced_to, outcomes, times from changed c where c.completed_at is not null;
  perform core.refund_orders(refunded);

  -- After a restore, what was open may have ended and been announced before. The lock lasts until the event is there.
  if cardinality(recovered) > 0 then
    perform 1 from supply.recoveries r where r.ended_at is null for share;
    recovered := case when found then recovered else '{}' end;
  end if;
  to_make := core.announce_orders(to_announce, announced_to, recovered, least(to_send, cardinality(to_announce)));
  if cardinality(to_make) > 0 then
    attempts := array(select row_to_json(l) from core.leased_attempts l where l.event_id = any (to_make));
  end if;
  perform core.number_results(ended, accounts);
  return query select e.outcome, e.seconds, e.leased_attempt from unnest(outcomes, times, attempts) as e (outcome, seconds, leased_attempt);
end
$$;
comment on function core.finish_orders is
  'Ends those of the orders whose items are all final: status and outcome, the refund of failed items, and the event unless the result is partial '
  'or there is no callback URL; enqueues the deliveries, and numbers the results of the accounts. In a recovery, events of orders from before it are held. Returns the outcome of each order that ended, the seconds since it '
  'was placed, and in one of the rows, whichever, each attempt that the caller makes at once, to_send at most: a row of core.leased_attempts (core.announce_orders). The caller holds the locks of the orders. Specification 3.';
