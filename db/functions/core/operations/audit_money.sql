create or replace view core.audit_money as
with booked as (
  select l.account_id, count(*) as entries, max(l.seq) as last_seq, sum(l.amount) as total
  from supply.ledger l group by l.account_id
), accounts as (
  select a.id, a.currency, a.balance, a.last_seq,
    coalesce(b.entries, 0) as entries, coalesce(b.last_seq, 0) as booked_seq, coalesce(b.total, 0) as booked,
    coalesce(newest.balance_after, 0) as newest_balance
  from supply.accounts a
  left join booked b on b.account_id = a.id
  left join supply.ledger newest on newest.account_id = a.id and newest.seq = b.last_seq
), entries as (
  -- Without the entry before it there is a gap, which another check tells of.
  select l.*, case when l.seq = 1 then 0.00 else (
    select p.balance_after from supply.ledger p where p.account_id = l.account_id
      and p.seq = l.seq - 1) end as balance_before
  from (
    select l.* from core.audited_entries l
    union all
    select l.* from supply.ledger l where l.type in ('deposit', 'adjustment')) as l
), charges as (
  select l.order_id, l.account_id, l.amount, l.payment_code, l.currency from core.audited_entries l
    where l.type = 'order_charge'
), refunds as (
  select l.item_id, l.order_id, l.account_id, l.amount from core.audited_entries l where l.type = 'order_refund'
), refunded as (
  select r.order_id, sum(r.amount) as total from refunds r group by r.order_id
), given_back as (
  select l.item_id, min(l.account_id) as account_id, max(l.account_id) as last_account_id, sum(l.amount) as total
  from supply.ledger l where l.type = 'adjustment' and l.item_id is not null group by l.item_id
), totals as (
  select i.order_id, sum(i.price * i.amount) as total from core.audited_items i group by i.order_id
)
select 'ledger_seq_has_no_gap' as check_name,
  format('account %s has %s ledger rows, but the last one is numbered %s', a.id, a.entries, a.booked_seq) as detail
from accounts a where a.entries <> a.booked_seq
union all
select 'account_counts_its_ledger',
  format('account %s says that its last ledger row is %s, but that is %s', a.id, a.last_seq, a.booked_seq)
from accounts a where a.last_seq <> a.booked_seq
union all
select 'ledger_adds_up',
  format('ledger row %s of account %s leaves %s, but %s after %s is %s',
    e.seq, e.account_id, e.balance_after, e.amount, e.balance_before, e.balance_before + e.amount)
from entries e where e.balance_after <> e.balance_before + e.amount
union all
select 'balance_is_the_last_in_the_ledger',
  format('account %s has %s, but its newest ledger row leaves %s', a.id, a.balance, a.newest_balance)
from accounts a where a.balance <> a.newest_balance
union all
select 'balance_is_the_sum_of_the_ledger',
  format('account %s has %s, but its ledger sums up to %s', a.id, a.balance, a.booked)
from accounts a where a.balance <> a.booked
union all
select 'ledger_is_in_the_accounts_currency',
  format('ledger row %s of account %s is in %s, but the account is in %s', e.seq, e.account_id, e.currency, a.currency)
from entries e join accounts a on a.id = e.account_id where e.currency <> a.currency
union all
select 'order_is_charged',
  format('order %s of account %s was not charged', o.code, o.account_id)
from core.audited_orders o where not exists (select from charges c where c.order_id = o.id)
union all
select 'charge_is_the_orders_total',
  format('order %s of account %s costs %s %s (%s), but account %s was charged %s %s (%s)', o.code, o.account_id,
    o.total_amount, o.currency, o.payment_code, c.account_id, -c.amount, c.currency, c.payment_code)
from core.audited_orders o join charges c on c.order_id = o.id
where (c.account_id, -c.amount, c.currency, c.payment_code)
  is distinct from (o.account_id, o.total_amount, o.currency, o.payment_code)
union all
select 'total_is_the_sum_of_the_items',
  format('order %s costs %s, but its items %s', o.code, o.total_amount, coalesce(l.total, 0))
from core.audited_orders o left join totals l on l.order_id = o.id
where o.total_amount <> coalesce(l.total, 0)
union all
select 'failed_item_is_refunded',
  format('item %s of the final order %s failed, but was not refunded', i.id, o.code)
from core.audited_items i join core.audited_orders o on o.id = i.order_id
where i.status = 'failed' and o.completed_at is not null
  and not exists (select from supply.ledger r where r.item_id = i.id and r.type = 'order_refund')
union all
select 'refund_has_its_reason',
  format('item %s was refunded, but is %s, in order %s, which is %s', i.id, i.status, o.code, o.status)
from refunds r join supply.order_items i on i.id = r.item_id join supply.orders o on o.id = i.order_id
where i.status <> 'failed' or o.completed_at is null
union all
select 'refund_is_the_items_price',
  format('item %s of order %s cost account %s %s, but account %s was refunded %s', i.id, o.code, o.account_id,
    i.price * i.amount, r.account_id, r.amount)
from refunds r join supply.order_items i on i.id = r.item_id join supply.orders o on o.id = i.order_id
where (r.amount, r.account_id, r.order_id) is distinct from (i.price * i.amount, o.account_id, i.order_id)
union all
select 'item_knows_its_refund',
  format('item %s says that %s was refunded, but the ledger says %s', i.id, i.refunded_amount, coalesce(r.amount, 0))
from core.audited_items i left join refunds r on r.item_id = i.id
where i.refunded_amount <> coalesce(r.amount, 0)
union all
select 'order_knows_its_refunds',
  format('order %s says that %s was refunded, but the ledger says %s', o.code, o.refunded_amount, coalesce(r.total, 0))
from core.audited_orders o left join refunded r on r.order_id = o.id
where o.refunded_amount <> coalesce(r.total, 0)
union all
select 'refund_by_hand_is_within_the_items_price',
  format('item %s of order %s is %s and cost account %s %s, but operators gave %s back to account %s', i.id, o.code,
    i.status,
    o.account_id, i.price * i.amount, g.total, g.last_account_id)
from given_back g join supply.order_items i on i.id = g.item_id join supply.orders o on o.id = i.order_id
where i.status <> 'completed' or g.total not between 0 and i.price * i.amount
  or (g.account_id, g.last_account_id) <> (o.account_id, o.account_id);
comment on view core.audit_money is
  'What is wrong with all balances, and with the charges and refunds of orders within core.audit_scope: no row while
all is well.';
