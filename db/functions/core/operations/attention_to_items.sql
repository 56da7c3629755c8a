create or replace view core.attention_to_items as
with unsettled as (
  select i.id, i.supplier, i.amount, i.product_name, i.held_reason, o.code, o.account_id,
    case when i.held_at is null then 'stuck' else 'held' end as how, coalesce(i.held_at, i.stuck_at) as since, k.kept,
    case
      when exists (select from core.missing_items m where m.id = i.id) then 'send'
      when i.delivery_type = 'key' and k.kept = i.amount then 'complete'
      when i.delivery_type = 'key' and k.kept > i.amount then 'refund all'
      when k.kept > 0 then 'refund a part'
      else 'refund'
    end as remedy
  from supply.order_items i
  join supply.orders o on o.id = i.order_id
  cross join lateral (select count(*) as kept from supply.item_keys k where k.item_id = i.id) as k
  where (i.stuck_at is not null or i.held_at is not null) and i.completed_at is null
), alike_unsettled as (
  select u.*, count(*) over (partition by u.supplier, u.how, u.remedy = 'send') as alike from unsettled u
), unknown as (
  select i.id, i.order_id, i.supplier, i.amount, i.product_name, i.sent_at, last.error,
    count(*) over (partition by i.supplier) as alike
  from (
    -- With a supplier that is down, the answers of all the others would take seconds to read.
    select i.* from supply.order_items i
    where i.completed_at is null and i.stuck_at is null and i.held_at is null
      and i.sent_at < now() - interval '15 minutes'
    order by i.sent_at limit 2000) as i
  left join lateral (
    select a.outcome, coalesce(a.error, 'HTTP status ' || a.status_code) as error from supply.supplier_attempts a
    where a.item_id = i.id and a.finished_at is not null order by a.id desc limit 1) as last on true
  where coalesce(last.outcome, 'unknown') = 'unknown'
), single_unknown as (
  select u.*, o.code, o.account_id, coalesce((
    select a.finished_at from supply.supplier_attempts a
    where a.item_id = u.id and a.outcome <> 'unknown' order by a.id desc limit 1), u.sent_at) as since
  from unknown u join supply.orders o on o.id = u.order_id
  where u.alike <= 10
)
select u.since, 'item ' || u.how as what, 'item ' || u.id as subject,
  format('%s × %s at %s, %s: ', u.amount, u.product_name, u.supplier,
    coalesce(u.held_reason, 'unsettled past its deadline'))
    || case u.remedy
      when 'send' then 'look there first; the remedy sends it again, and ops.settle_item refunds'
      when 'complete' then 'the remedy delivers the codes received'
      when 'refund all' then 'the remedy delivers no code and refunds'
      when 'refund a part' then format('the remedy delivers the %s received and refunds the rest',
        case u.kept when 1 then 'code' else u.kept || ' codes' end)
      else 'the remedy refunds, so ask the supplier first'
    end as detail,
  format(case u.remedy
    when 'send' then 'select ops.send_item(%L)'
    when 'complete' then 'select ops.settle_item(%L, ''completed'')'
    when 'refund all' then 'select ops.settle_item(%L, ''failed'', codes => ''{}'')'
    else 'select ops.settle_item(%L, ''failed'')' end, u.id) as remedy,
  u.code as order_code, u.account_id
from alike_unsettled u where u.alike <= 10
union all
select min(u.since), 'item ' || u.how, 'supplier ' || u.supplier,
  case when u.remedy = 'send'
    then format('%s items that %s does not have, which ops.stuck_items lists: look there first; the remedy sends them '
      'again', count(*), u.supplier)
    else format('%s items, which ops.stuck_items lists: the remedy completes those with all their codes, '
      'delivers a part of others, and refunds the rest', count(*)) end,
  case when u.remedy = 'send'
    then format('select ops.send_item(item_id) from ops.stuck_items where supplier = %L and may_send', u.supplier)
    else format('select ops.settle_item(item_id, case when delivery_type = ''key'' and codes_kept = amount then '
      '''completed'' else ''failed'' end, case when codes_kept > amount then ''{}''::text[] end) from ops.stuck_items '
      'where supplier = %L and why = %L and not may_send', u.supplier, u.how) end,
  null, null
from alike_unsettled u where u.alike > 10 group by u.supplier, u.how, u.remedy = 'send'
union all
select u.since, 'outcome unknown', 'item ' || u.id,
  format('%s × %s: no usable answer from %s%s; workers keep asking', u.amount, u.product_name, u.supplier,
    coalesce(' (' || u.error || ')', '')),
  format('select ops.poll_now(%L)', u.id), u.code, u.account_id
from single_unknown u where u.since < now() - interval '15 minutes'
union all
select min(u.sent_at), 'outcome unknown', 'supplier ' || u.supplier,
  format('%s items without a usable answer%s; workers keep asking', count(*),
    coalesce(' (' || max(u.error) || ')', '')),
  format('select ops.poll_now(item_id) from ops.order_items where supplier = %L and completed_at is null and sent_at '
    '< now() - interval ''15 minutes'' order by sent_at limit 1000', u.supplier),
  null, null
from unknown u where u.alike > 10 group by u.supplier;
comment on view core.attention_to_items is
  'The lines of ops.attention about items that are stuck, held, or without a usable answer for 15 minutes, of which it
reads the 2,000 that were sent first.';
