create or replace view core.audit_accounts as
with booked as (
  select l.account_id, count(*) as entries, max(l.seq) as last_seq, sum(l.amount) as total
  from supply.ledger l group by l.account_id
), accounts as (
  select a.id, a.balance, a.last_seq, coalesce(b.entries, 0) as entries, coalesce(b.last_seq, 0) as booked_seq,
    coalesce(b.total, 0) as booked, coalesce(newest.balance_after, 0) as newest_balance
  from supply.accounts a
  left join booked b on b.account_id = a.id
  left join supply.ledger newest on newest.account_id = a.id and newest.seq = b.last_seq
), marks as (
  select m.account_id, m.last_seq, m.restarts, coalesce(newest.seq, 0) as newest_seq
  from supply.result_marks m
  left join lateral (
    select r.seq from supply.order_results r where r.account_id = m.account_id order by r.seq desc limit 1
  ) as newest on true
), entries as (
  select l.account_id, l.seq, l.amount, l.balance_after, l.currency,
    lag(l.seq) over each_account as seq_before, lag(l.balance_after) over each_account as balance_before
  from (
    select l.account_id, l.seq, l.amount, l.balance_after, l.currency
    from core.audit_scope s
    cross join lateral (
      select * from supply.ledger l where l.order_id > s.after and l.order_id <= s.up_to offset 0) as l
    union all
    select l.account_id, l.seq, l.amount, l.balance_after, l.currency
    from supply.ledger l where l.type in ('deposit', 'adjustment')
  ) as l
  window each_account as (partition by l.account_id order by l.seq)
), steps as (
  -- If the entry before it is missing, account_counts_its_ledger reports the gap.
  select e.*, case
    when e.seq = 1 then 0.00
    when e.seq_before = e.seq - 1 then e.balance_before
    else (select p.balance_after from supply.ledger p where p.account_id = e.account_id and p.seq = e.seq - 1)
  end as balance_then
  from entries e
), given_back as (
  select l.item_id, min(l.account_id) as account_id, max(l.account_id) as last_account_id, sum(l.amount) as total
  from supply.ledger l where l.type = 'adjustment' and l.item_id is not null group by l.item_id
)
select 'account_counts_its_ledger' as check_name,
  format('account %s counts %s ledger rows, but it has %s, and the last one is number %s', a.id, a.last_seq, a.entries,
    a.booked_seq) as detail,
  'account ' || a.id as subject, a.id as account_id, true as is_whole
from accounts a where a.last_seq <> a.booked_seq or a.entries <> a.booked_seq
union all
select 'balance_is_the_last_in_the_ledger',
  format('account %s has a balance of %s, but its newest ledger row has %s', a.id, a.balance, a.newest_balance),
  'account ' || a.id, a.id, true
from accounts a where a.balance <> a.newest_balance
union all
select 'balance_is_the_sum_of_the_ledger',
  format('account %s has a balance of %s, but the sum of its ledger is %s', a.id, a.balance, a.booked),
  'account ' || a.id, a.id, true
from accounts a where a.balance <> a.booked
union all
select 'account_counts_its_results',
  format('account %s counts %s results, but its last result is number %s', m.account_id, m.last_seq, m.newest_seq),
  'account ' || m.account_id, m.account_id, true
from marks m where m.last_seq <> m.newest_seq and m.last_seq + 1 <> all (m.restarts)
union all
select 'ledger_adds_up', format('ledger row %s of account %s has a balance of %s, but %s + %s is %s',
  e.seq, e.account_id, e.balance_after, e.balance_then, e.amount, e.balance_then + e.amount),
  format('ledger row %s of account %s', e.seq, e.account_id), e.account_id, false
from steps e where e.balance_after <> e.balance_then + e.amount
union all
select 'ledger_is_in_the_accounts_currency',
  format('ledger row %s of account %s is in %s, but the account is in %s', e.seq, e.account_id, e.currency, a.currency),
  format('ledger row %s of account %s', e.seq, e.account_id), e.account_id, false
from entries e join supply.accounts a on a.id = e.account_id where e.currency <> a.currency
union all
select 'refund_by_hand_is_within_the_items_price',
  format('item %s of order %s is %s and cost account %s %s, but operators refunded %s to account %s', i.id, o.code,
    i.status, o.account_id, i.price * i.amount, g.total, g.last_account_id),
  'item ' || i.id, o.account_id, false
from given_back g join supply.order_items i on i.id = g.item_id join supply.orders o on o.id = i.order_id
where i.status <> 'completed' or g.total not between 0 and i.price * i.amount
  or (g.account_id, g.last_account_id) <> (o.account_id, o.account_id);
comment on view core.audit_accounts is
  'The rows of ops.audit about all balances, all counts of results and all bookings by operators, and about the ledger
rows of the orders within core.audit_scope. is_whole: the check looks at all accounts each time.';
