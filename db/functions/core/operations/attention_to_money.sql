create or replace view core.attention_to_money as
select p.since, 'balance low' as what, 'account ' || p.account_id as subject,
  p.detail || ': ask for a payment and book it with ops.deposit' as detail,
  format('select * from ops.accounts where account_id = %s', p.account_id) as remedy, null::text as order_code,
  p.account_id
from core.problems p where p.kind = 'low_balance'
union all
select h.oldest_at, 'money held', 'account ' || h.account_id,
  format('%s in %s open for over an hour%s; the oldest is %s', h.held,
    case h.orders when 1 then 'an order' else h.orders || ' orders' end,
    case when h.held_for_a_day > 0 then format(', %s of it for over a day', h.held_for_a_day) else '' end, h.oldest),
  format('select * from ops.order_story(%L)', h.oldest),
  case when h.orders = 1 then h.oldest end, h.account_id
from (
  select o.account_id, count(*) as orders, sum(o.total_amount) as held, min(o.created_at) as oldest_at,
    (array_agg(o.code order by o.created_at, o.id))[1] as oldest,
    coalesce(sum(o.total_amount) filter (where o.created_at < now() - interval '1 day'), 0) as held_for_a_day
  from supply.orders o where o.status in ('pending', 'processing') and o.created_at < now() - interval '1 hour'
  group by o.account_id
) as h
union all
select p.proposed_at, 'proposal open', 'account ' || p.account_id,
  format('%s proposed %s of %s %s under reference %L: another login books it with ops.approve(%s) or ends it with '
    'ops.reject(%6$s, note), until %s', p.proposed_by, p.what, p.amount, p.currency, p.reference, p.id,
    (p.proposed_at + interval '7 days')::timestamptz(0)),
  format('select * from ops.proposals where proposal_id = %s', p.id), null, p.account_id
from supply.proposals p join core.dated_proposals d on d.id = p.id where d.state = 'open';
comment on view core.attention_to_money is
  'The rows of ops.attention about low balances, orders that have been open for over an hour, and open proposals.';
