create or replace view core.audit_results as
with results as (
  select r.account_id, r.seq, o.code, o.account_id as owner_id, o.completed_at, o.status
  from core.audited_orders o
  cross join lateral (select r.* from supply.order_results r where r.order_id = o.id offset 0) as r
), marks as (
  select m.*, coalesce((
    select r.seq from supply.order_results r where r.account_id = m.account_id order by r.seq desc limit 1),
      0) as newest_seq
  from supply.result_marks m
)
select 'final_order_is_among_the_results' as check_name,
  format('order %s of account %s is %s, but not among the results', o.code, o.account_id, o.status) as detail
from core.audited_orders o
where o.completed_at is not null
  and not exists (select from supply.order_results r where r.order_id = o.id)
  and not exists (select from supply.unnumbered_results u where u.order_id = o.id)
union all
select 'result_is_a_final_order_of_the_account',
  format('result %s of account %s is order %s of account %s, which is %s', r.seq, r.account_id, r.code, r.owner_id,
    r.status)
from results r where r.account_id <> r.owner_id or r.completed_at is null
union all
select 'results_have_no_gap',
  format('result %s of account %s comes after a gap', r.seq, r.account_id)
from results r
where r.seq > 1
  and not exists (select from supply.order_results p where p.account_id = r.account_id and p.seq = r.seq - 1)
  and not exists (select from supply.result_marks m where m.account_id = r.account_id and r.seq = any (m.restarts))
union all
select 'account_counts_its_results',
  format('account %s says that its last result is %s, but that is %s', m.account_id, m.last_seq, m.newest_seq)
from marks m where m.last_seq <> m.newest_seq and m.last_seq + 1 <> all (m.restarts);
comment on view core.audit_results is
  'What is wrong with the sequences in which accounts read their results, within core.audit_scope: no row while all is
well.';
