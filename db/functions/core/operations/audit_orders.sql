create or replace view core.audit_orders as
with orders as (
  select o.id, o.code, o.account_id, o.number, o.status, o.outcome, o.total_amount, o.refunded_amount, o.currency,
    o.callback_url, o.completed_at,
    lag(o.number) over (partition by o.account_id order by o.number) as number_before
  from core.audit_scope s
  cross join lateral (
    select * from supply.orders o where o.id > s.after and o.id <= s.up_to offset 0) as o
), items as (
  select i.id, i.order_id, i.position, i.part, i.product_id, i.delivery_type, i.amount, i.price, i.status,
    i.refunded_amount
  from core.audit_scope s
  cross join lateral (
    select * from supply.order_items i
    -- An open item has no refund, which the order knows. Hundreds of thousands may wait for one supplier.
    where i.order_id > s.after and i.order_id <= s.up_to and i.completed_at is not null offset 0) as i
), entries as (
  select l.order_id, l.item_id, l.account_id, l.type, l.amount, l.currency
  from core.audit_scope s
  cross join lateral (
    select * from supply.ledger l where l.order_id > s.after and l.order_id <= s.up_to offset 0) as l
), results as (
  select r.account_id, r.seq, r.order_id, lag(r.seq) over (partition by r.account_id order by r.seq) as seq_before
  from core.audit_scope s
  cross join lateral (
    select * from supply.order_results r where r.order_id > s.after and r.order_id <= s.up_to offset 0) as r
), counted as (
  select i.order_id, count(*) as items, count(*) filter (where i.status = 'completed') as completed,
    count(*) filter (where i.status = 'failed') as failed, sum(i.price * i.amount) as total
  from core.audit_scope s
  cross join lateral (
    select i.order_id, i.status, i.price, i.amount from supply.order_items i
    where i.order_id > s.after and i.order_id <= s.up_to offset 0) as i
  group by i.order_id
), booked as (
  select e.order_id, sum(e.amount) as refunded from entries e where e.type = 'order_refund' group by e.order_id
), whole_orders as (
  select o.*, coalesce(c.items, 0) as items, coalesce(c.completed, 0) as completed, coalesce(c.failed, 0) as failed,
    coalesce(c.total, 0) as items_total, coalesce(b.refunded, 0) as booked_refunds, e.id as event_id,
    r.seq as result_seq
  from orders o
  left join counted c on c.order_id = o.id
  left join booked b on b.order_id = o.id
  left join supply.events e on e.order_id = o.id
  left join results r on r.order_id = o.id
), codes as (
  select k.item_id, count(*) as codes from items i join supply.item_keys k on k.item_id = i.id group by k.item_id
), whole_items as (
  select i.*, coalesce(k.codes, 0) as codes, o.code, o.account_id,
    case when i.status = 'failed' and o.completed_at is not null then i.price * i.amount else 0 end as due,
    r.amount as refund, r.order_id as refund_order_id, r.account_id as refund_account_id
  from items i
  join orders o on o.id = i.order_id
  left join codes k on k.item_id = i.id
  left join lateral (
    -- By the index: a join with the entries may be planned as a loop over all of them for each item.
    select l.order_id, l.account_id, l.amount from supply.ledger l
    where l.item_id = i.id and l.type = 'order_refund' offset 0) as r on true
)
select 'orders_are_numbered_without_a_gap' as check_name,
  format('order %s is number %s of account %s, but the number before it is missing', o.code, o.number, o.account_id)
    as detail,
  'order ' || o.code as subject
from whole_orders o
where o.number > 1 and o.number_before is distinct from o.number - 1 and not exists (
  select from supply.orders p where p.account_id = o.account_id and p.number = o.number - 1)
union all
select 'total_is_the_sum_of_the_items',
  format('order %s costs %s, but its items cost %s', o.code, o.total_amount, o.items_total),
  'order ' || o.code
from whole_orders o where o.total_amount <> o.items_total
union all
select 'order_knows_its_refunds',
  format('order %s counts refunds of %s, but the ledger has %s', o.code, o.refunded_amount, o.booked_refunds),
  'order ' || o.code
from whole_orders o where o.refunded_amount <> o.booked_refunds
union all
select 'outcome_agrees_with_the_items',
  format('order %s is %s (%s), but of its %s items %s are completed and %s failed', o.code, o.status,
    coalesce(o.outcome, 'open'), o.items, o.completed, o.failed), 'order ' || o.code
from whole_orders o
where o.outcome is distinct from case
  when o.items > o.completed + o.failed then null
  when o.failed = 0 then 'full'
  when o.completed = 0 then 'none'
  else 'partial'
end
union all
select 'final_order_has_its_event',
  format('order %s is %s (%s), but has no event for %s', o.code, o.status, o.outcome, o.callback_url),
  'order ' || o.code
from whole_orders o
where o.callback_url is not null and o.outcome in ('full', 'none') and o.event_id is null
union all
select 'final_order_is_among_the_results',
  format('order %s of account %s is %s, but is not among the results', o.code, o.account_id, o.status),
  'order ' || o.code
from whole_orders o
where o.completed_at is not null and o.result_seq is null
  and not exists (select from supply.unnumbered_results u where u.order_id = o.id)
union all
select 'charge_is_the_orders_total',
  format('order %s of account %s costs %s %s, but its charge is %s', o.code, o.account_id, o.total_amount,
    o.currency, coalesce(
      -c.amount || ' ' || c.currency || ' of account ' || c.account_id, 'missing')),
  'order ' || o.code
from orders o left join entries c on c.order_id = o.id and c.type = 'order_charge'
where (c.account_id, -c.amount, c.currency)
  is distinct from (o.account_id, o.total_amount, o.currency)
union all
select 'failed_item_is_refunded',
  format('item %s of order %s of account %s is %s: the refund due is %s, the item has %s, and the ledger has %s',
    i.id, i.code, i.account_id, i.status, i.due, i.refunded_amount, coalesce(
      i.refund || ' for order ' || i.refund_order_id || ' of account ' || i.refund_account_id, 'nothing')),
  'item ' || i.id
from whole_items i
where i.refunded_amount <> i.due or coalesce(i.refund, 0) <> i.due
  or (i.refund_order_id, i.refund_account_id) <> (i.order_id, i.account_id)
union all
select 'item_has_its_codes',
  format('item %s (%s, %s) has %s codes for an amount of %s', i.id, i.delivery_type, i.status, i.codes, i.amount),
  'item ' || i.id
from whole_items i
where i.codes > 0 and (i.delivery_type <> 'key' or i.status = 'failed')
  or i.delivery_type = 'key' and i.status = 'completed' and i.codes <> i.amount
union all
select 'rest_of_an_item_belongs_to_a_delivered_part',
  format('item %s is the rest of an item, but the item has no completed part at the same price', i.id),
  'item ' || i.id
from whole_items i
where i.part = 1 and not exists (
  select from supply.order_items w
  where w.order_id = i.order_id and w.position = i.position and w.part = 0
  and w.status = 'completed' and i.status = 'failed' and w.product_id = i.product_id and w.price = i.price)
union all
select 'result_is_a_final_order_of_the_account',
  format('result %s of account %s is order %s of account %s, which is %s', r.seq, r.account_id, o.code, o.account_id,
    o.status), format('result %s of account %s', r.seq, r.account_id)
from results r join orders o on o.id = r.order_id where r.account_id <> o.account_id or o.completed_at is null
union all
select 'results_have_no_gap', format('result %s of account %s has no result before it', r.seq, r.account_id),
  format('result %s of account %s', r.seq, r.account_id)
from results r
where r.seq > 1 and r.seq_before is distinct from r.seq - 1
  and not exists (select from supply.order_results p where p.account_id = r.account_id and p.seq = r.seq - 1)
  and not exists (select from supply.result_marks m where m.account_id = r.account_id and r.seq = any (m.restarts));
comment on view core.audit_orders is
  'The rows of ops.audit about the orders within core.audit_scope: their numbers, items, codes, charges, refunds,
results and events.';
