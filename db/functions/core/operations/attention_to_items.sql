create or replace view core.attention_to_items as
with unsettled as (
  select i.id, i.order_id, i.supplier, i.amount, i.product_name, i.delivery_type, i.held_at is not null as is_held,
    i.held_reason,
    coalesce(i.held_at, i.stuck_at) as since, (select count(*) from supply.item_keys k where k.item_id = i.id) as kept,
    i.may_send, count(*) over (partition by i.supplier, i.held_at is not null, i.may_send) as alike
  from (select o.*, exists (select from core.missing_items m where m.id = o.id) as may_send
    from supply.order_items o) as i
  where (i.stuck_at is not null or i.held_at is not null) and i.completed_at is null
), unknown as (
  select i.id, i.order_id, i.supplier, i.amount, i.product_name, i.sent_at, last.error,
    count(*) over (partition by i.supplier) as alike
  from (
    -- With a supplier that is down, the answers of all the others would take seconds to read.
    select i.* from supply.order_items i
    where i.completed_at is null and i.stuck_at is null and i.held_at is null
      and i.sent_at < now() - interval '15 minutes'
    order by i.sent_at limit 2000) as i
  cross join lateral (
    select coalesce(max(a.outcome), 'unknown') as outcome,
      max(coalesce(a.error, 'HTTP status ' || a.status_code)) as error
    from (
      select a.outcome, a.error, a.status_code from supply.supplier_attempts a
      where a.item_id = i.id and a.finished_at is not null order by a.id desc limit 1) as a
  ) as last
  where last.outcome = 'unknown'
), single_unknown as (
  select u.*, coalesce((
    select a.finished_at from supply.supplier_attempts a
    where a.item_id = u.id and a.outcome <> 'unknown' order by a.id desc limit 1), u.sent_at) as since
  from unknown u where u.alike <= 10
)
select u.since, 'item ' || case when u.is_held then 'held' else 'stuck' end as what, 'item ' || u.id as subject,
  format('%s × %s at %s, %s: ', u.amount, u.product_name, u.supplier,
    coalesce(u.held_reason, 'unsettled past its deadline'))
    || case
      when u.may_send then 'look there first; the remedy sends it again, and ops.settle_item refunds'
      when u.delivery_type = 'key' and u.kept = u.amount then 'the remedy delivers the codes that came'
      when u.delivery_type = 'key' and u.kept > u.amount then 'the remedy delivers no code and refunds'
      when u.kept > 0 then format('the remedy delivers the %s that came and refunds the rest', case u.kept when 1
        then 'code' else u.kept || ' codes' end)
      else 'the remedy refunds, so ask the supplier before'
    end as detail,
  case when u.may_send then format('select ops.send_item(%L)', u.id) else format('select ops.settle_item(%L, %s)',
    u.id, case
    when u.delivery_type = 'key' and u.kept = u.amount then '''completed'''
    when u.delivery_type = 'key' and u.kept > u.amount then '''failed'', codes => ''{}'''
    else '''failed''' end) end as remedy,
  o.code as order_code, o.account_id
from unsettled u
cross join lateral (select o.code, o.account_id from supply.orders o where o.id = u.order_id offset 0) as o
where u.alike <= 10
union all
select min(u.since), 'item ' || case when u.is_held then 'held' else 'stuck' end, 'supplier ' || u.supplier,
  case when u.may_send
    then format('%s items that %s does not have, which ops.stuck_items lists: look there first; the remedy sends them '
      'again', count(*), u.supplier)
    else format('%s items, which ops.stuck_items lists: the remedy completes those whose codes are all there, '
      'delivers a part of others, and refunds the rest',
      count(*)) end,
  case when u.may_send then format('select ops.send_item(item_id) from ops.stuck_items where supplier = %L and '
    'may_send', u.supplier) else format('select ops.settle_item(item_id, case when delivery_type = ''key'' and '
    'codes_kept = amount then ''completed'' else ''failed'' end, '
    'case when codes_kept > amount then ''{}''::text[] end) from ops.stuck_items where supplier = %L and why = %L and '
      'not may_send',
    u.supplier, case when u.is_held then 'held' else 'stuck' end) end,
  null, null
from unsettled u where u.alike > 10 group by u.supplier, u.is_held, u.may_send
union all
select u.since, 'outcome unknown', 'item ' || u.id,
  format('%s × %s: no usable answer from %s%s; it is asked again and again', u.amount, u.product_name, u.supplier,
    coalesce(' (' || u.error || ')', '')),
  format('select ops.poll_now(%L)', u.id), o.code, o.account_id
from single_unknown u
cross join lateral (select o.code, o.account_id from supply.orders o where o.id = u.order_id offset 0) as o
where u.since < now() - interval '15 minutes'
union all
select min(u.sent_at), 'outcome unknown', 'supplier ' || u.supplier,
  format('%s items without a usable answer%s; they are asked for again and again', count(*),
    coalesce(' (' || max(u.error) || ')', '')),
  format('select ops.poll_now(item_id) from ops.order_items where supplier = %L and completed_at is null and sent_at '
    '< now() - interval ''15 minutes'' '
    'order by sent_at limit 1000', u.supplier),
  null, null
from unknown u where u.alike > 10 group by u.supplier;
comment on view core.attention_to_items is
  'The items that want a human (ops.attention): stuck, held, or for 15 minutes without a usable answer, for which the
2,000 that were sent first are looked at.';
