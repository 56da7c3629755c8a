create or replace view ops.stuck_items as
select i.id as item_id, o.code as order_code, o.account_id, i.product_id, i.product_name, i.amount, i.price, i.supplier,
  i.why, i.since,
  i.held_reason, (select count(*)::int from supply.item_keys k where k.item_id = i.id) as codes_kept,
  i.supplier_order_id, i.sent_at, i.next_check_at, i.delivery_type,
  exists (select from core.missing_items m where m.id = i.id) as may_send
from core.items_for_operators i
join supply.orders o on o.id = i.order_id;
comment on view ops.stuck_items is
  'The open items that need an operator: ops.settle_item settles them, ops.poll_now asks the supplier again.';
comment on column ops.stuck_items.order_code is 'The order''s code.';
comment on column ops.stuck_items.why is 'stuck: the supplier''s deadline passed. held: an answer made no sense.';
comment on column ops.stuck_items.since is 'When it became stuck or held.';
comment on column ops.stuck_items.codes_kept is 'The number of codes that the supplier gave.';
comment on column ops.stuck_items.may_send is
  'Whether ops.send_item may send it again: it is held, and its supplier last answered that it does not have it.';
