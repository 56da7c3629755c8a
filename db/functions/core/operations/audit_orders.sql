create or replace view core.audit_orders as
with counted as (
  select i.order_id, count(*) as items, count(*) filter (where i.status = 'completed') as completed,
    count(*) filter (where i.status = 'failed') as failed
  from core.audited_items i group by i.order_id
), orders as (
  select o.*, coalesce(c.items, 0) as items, coalesce(c.completed, 0) as completed, coalesce(c.failed, 0) as failed,
    coalesce(c.items - c.completed - c.failed, 0) as open
  from core.audited_orders o left join counted c on c.order_id = o.id
), codes as (
  select k.item_id, count(*) as codes from core.audited_items i join supply.item_keys k on k.item_id = i.id
    group by k.item_id
), items as (
  select i.*, coalesce(k.codes, 0) as codes from core.audited_items i left join codes k on k.item_id = i.id
)
select 'final_order_has_no_open_item' as check_name,
  format('order %s is %s, but %s of its items are open', o.code, o.status, o.open) as detail
from orders o where o.completed_at is not null and o.open > 0
union all
select 'open_order_has_an_open_item',
  format('order %s is %s, but none of its %s items is open', o.code, o.status, o.items)
from orders o where o.completed_at is null and o.open = 0
union all
select 'outcome_agrees_with_the_items',
  format('order %s is %s (%s), but %s of its items are completed and %s failed', o.code, o.status, o.outcome,
    o.completed, o.failed)
from orders o
where o.completed_at is not null and o.open = 0
  and (o.status, o.outcome) is distinct from (
    case when o.failed = 0 then 'completed' else 'failed' end,
    case when o.failed = 0 then 'full' when o.completed = 0 then 'none' else 'partial' end)
union all
select 'completed_key_item_has_its_codes',
  format('item %s is completed with %s codes for an amount of %s', i.id, i.codes, i.amount)
from items i where i.delivery_type = 'key' and i.status = 'completed' and i.codes <> i.amount
union all
select 'only_key_items_have_codes',
  format('item %s is an item of %s, but has %s codes', i.id, i.delivery_type, i.codes)
from items i where i.delivery_type <> 'key' and i.codes > 0
union all
select 'failed_item_has_no_codes',
  format('item %s is failed, but has %s codes', i.id, i.codes)
from items i where i.delivery_type = 'key' and i.status = 'failed' and i.codes > 0
union all
select 'rest_of_an_item_belongs_to_a_delivered_part',
  format('item %s is the rest of an item, but there is no completed other part at the same price', rest.id)
from core.audited_items rest
where rest.part = 1 and not exists (
  select from supply.order_items i
  where i.order_id = rest.order_id and i.position = rest.position and i.part = 0
    and i.status = 'completed' and rest.status = 'failed' and i.product_id = rest.product_id and i.price = rest.price)
union all
select 'order_with_an_outcome_to_tell_has_its_event',
  format('order %s is %s (%s), but there is no event for %s', o.code, o.status, o.outcome, o.callback_url)
from orders o
where o.callback_url is not null and o.outcome in ('full', 'none')
  and not exists (select from supply.events e where e.order_id = o.id)
union all
select 'event_has_its_order',
  format('event %s (%s) is about order %s, which is %s (%s) with the callback URL %s',
    e.id, e.event_type, o.code, o.status, coalesce(o.outcome, 'open'), coalesce(o.callback_url, 'none'))
from core.audited_events e join supply.orders o on o.id = e.order_id
where o.outcome is null or o.outcome = 'partial' or o.callback_url is null
  or (e.event_type, e.order_code, e.account_id) is distinct from ('order.' || o.status, o.code, o.account_id)
  -- A redelivery, which begins a new round, may go to another address.
  or e.round = 1 and e.callback_url <> o.callback_url
union all
select 'orders_are_numbered_without_a_gap',
  format('order %s is number %s of account %s, but there is none before it', o.code, o.number, o.account_id)
from orders o
where o.number > 1
  and not exists (select from supply.orders p where p.account_id = o.account_id and p.number = o.number - 1);
comment on view core.audit_orders is
  'What is wrong with orders within core.audit_scope, their numbers, items, codes and events: no row while all
is well.';
