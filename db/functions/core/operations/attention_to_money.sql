create or replace view core.attention_to_money as
select (
    select max(l.created_at) from supply.ledger l where l.account_id = a.id and l.seq = a.last_seq
  ) as since, 'balance low' as what, 'account ' || a.id as subject,
  format('%s has %s %s, its threshold is %s: ask for a payment and book it with ops.deposit; the remedy only removes '
    'this row', a.name, a.balance, a.currency, a.low_balance_threshold) as detail,
  format('select ops.set_low_balance_threshold(%s, 0)', a.id) as remedy, null::text as order_code, a.id as account_id
from supply.accounts a
where a.low_balance_threshold > 0 and a.balance <= a.low_balance_threshold and a.active
union all
select h.oldest_at, 'money held', 'account ' || h.account_id,
  format('%s in %s open for over an hour%s; the oldest is %s', h.held,
    case h.orders when 1 then 'an order' else h.orders || ' orders' end,
    case when h.held_for_a_day > 0 then format(', %s of it for over a day', h.held_for_a_day) else '' end, h.oldest),
  format('select ops.poll_now(item_id) from ops.order_items where order_code = %L and status = ''processing''',
    h.oldest),
  case when h.orders = 1 then h.oldest end, h.account_id
from (
  select o.account_id, count(*) as orders, sum(o.total_amount) as held, min(o.created_at) as oldest_at,
    (array_agg(o.code order by o.created_at, o.id))[1] as oldest,
    coalesce(sum(o.total_amount) filter (where o.created_at < now() - interval '1 day'), 0) as held_for_a_day
  from supply.orders o where o.status in ('pending', 'processing') and o.created_at < now() - interval '1 hour'
  group by o.account_id
) as h;
comment on view core.attention_to_money is
  'The rows of ops.attention about low balances, and about orders that have been open for over an hour.';
