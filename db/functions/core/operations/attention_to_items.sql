create or replace view core.attention_to_items as
with found as (
  select i.why as how, i.since,
    i.id, i.order_id, i.supplier, i.amount, i.product_name, k.kept,
    coalesce(i.held_reason, 'still open after the deadline') as cause,
    case
      when exists (select from core.missing_items m where m.id = i.id) then 'send'
      when i.delivery_type = 'key' and k.kept = i.amount then 'complete'
      when i.delivery_type = 'key' and k.kept > i.amount then 'refund all'
      when k.kept > 0 then 'refund a part'
      else 'refund'
    end as act
  from core.items_for_operators i
  cross join lateral (select count(*) as kept from supply.item_keys k where k.item_id = i.id) as k
  union all
  select 'unknown', usable.last_at, i.id, i.order_id, i.supplier, i.amount, i.product_name, 0,
    format('no usable answer (%s)', coalesce(last.error, 'none was recorded')), 'ask'
  from (
    -- While a supplier is down, reading the answers of all its items would take seconds.
    select i.* from supply.order_items i
    where i.completed_at is null and i.stuck_at is null and i.held_at is null
      and i.sent_at < now() - interval '15 minutes'
    order by i.sent_at limit 2000) as i
  left join lateral (
    select a.outcome, coalesce(a.error, 'HTTP status ' || a.status_code) as error from supply.supplier_attempts a
    where a.item_id = i.id and a.finished_at is not null order by a.id desc limit 1) as last on true
  cross join lateral (
    select coalesce((
      select a.finished_at from supply.supplier_attempts a
      where a.item_id = i.id and a.outcome <> 'unknown' order by a.id desc limit 1), i.sent_at) as last_at) as usable
  where coalesce(last.outcome, 'unknown') = 'unknown' and usable.last_at < now() - interval '15 minutes'
)
select f.since, case f.how when 'unknown' then 'outcome unknown' else 'item ' || f.how end as what,
  'item ' || f.id as subject,
  format('%s × %s at %s, %s: ', f.amount, f.product_name, f.supplier, f.cause)
    || format(told.detail, case f.kept when 1 then 'the received code' else format('the %s received codes', f.kept) end)
    as detail,
  format(told.remedy, f.id) as remedy, o.code as order_code, o.account_id,
  'supplier ' || f.supplier as all_subject, told.all_detail,
  format(told.all_remedy, f.supplier, f.how) as all_remedy, f.cause
from found f
join supply.orders o on o.id = f.order_id
join (
  select one.act, one.detail, coalesce(one.remedy, 'select * from ops.order_story(%L)') as remedy,
    coalesce(several.detail, '%s items, which ops.stuck_items lists: ops.settle_item settles each') as all_detail,
    coalesce(several.remedy, 'select * from ops.stuck_items where supplier = %L and why = %L and not may_send')
      as all_remedy
  from (values
    ('send', 'check there first; ops.send_item sends it again, and ops.settle_item refunds it', null),
    ('complete', 'ops.settle_item, as completed, delivers the received codes', null),
    ('refund all', 'ops.settle_item, as failed and with no codes, refunds all', null),
    ('refund a part', 'ops.settle_item, as failed, delivers %s and refunds the rest', null),
    ('refund', 'ask the supplier first; ops.settle_item, as failed, refunds it', null),
    ('ask', 'workers keep asking; ops.poll_now asks at once', null)
  ) as one (act, detail, remedy)
  left join (values
    ('send', '%s items that the supplier does not have, which ops.stuck_items lists: check there first; '
      'ops.send_item sends one again', 'select * from ops.stuck_items where supplier = %L and may_send'),
    ('ask', '%s items: %s; workers keep asking; ops.poll_all(supplier) asks about all at once', 'select * from '
      'ops.order_items where supplier = %L and completed_at is null and sent_at < now() - interval ''15 minutes'' '
      'order by sent_at limit 1000')
  ) as several (act, detail, remedy) on several.act = one.act
) as told on told.act = f.act;
comment on view core.attention_to_items is
  'The rows of ops.attention about items that are stuck, held, or without a usable answer.';
