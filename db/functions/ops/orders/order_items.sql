create or replace view ops.order_items as
select i.id as item_id, o.code as order_code, i.product_id, i.product_name, i.amount, i.price, i.status, i.supplier,
  i.error_code, case when i.status = 'completed' then k.codes else 0 end as codes_delivered, i.next_check_at,
  i.stuck_at is not null and i.completed_at is null as stuck, i.held_at is not null and i.completed_at is null as held,
  k.codes as codes_kept, o.account_id, i.position, i.part, i.delivery_type,
  core.shown_text(i.delivery_data::text)::jsonb as delivery_data, i.refunded_amount,
  i.error_message, i.sku, i.tried_suppliers, i.supplier_order_id, i.sent_at, i.checks, i.lease_expires_at, i.stuck_at,
  i.held_at, i.held_reason, i.completed_at,
  i.recovered_at is not null and i.completed_at is null
    and exists (select from core.items_to_ask t where t.id = i.id) as to_ask,
  i.cost, i.state, i.supplier_cost, i.supplier_currency, i.rate, i.offered_cost, i.offered_currency
from core.items i
join supply.orders o on o.id = i.order_id
cross join lateral (select count(*)::int as codes from supply.item_keys k where k.item_id = i.id) k;
comment on view ops.order_items is
  'The items of orders and their progress at the supplier; money in the order''s currency. No code is shown.';
comment on column ops.order_items.item_id is 'The item, and its reference at the supplier.';
comment on column ops.order_items.order_code is 'The order''s code.';
comment on column ops.order_items.codes_delivered is 'The number of codes that the partner received.';
comment on column ops.order_items.stuck is 'Whether it is still open after the supplier''s deadline.';
comment on column ops.order_items.held is 'Whether it waits for an operator, because an answer made no sense.';
comment on column ops.order_items.codes_kept is 'The number of codes that the supplier gave, delivered or not.';
comment on column ops.order_items.completed_at is
  'When it ended; null: it is open. The index serves: where supplier = … and completed_at > … order by completed_at.';
comment on column ops.order_items.to_ask is
  'Whether it was open at a restore, and its supplier has not answered about it since.';
comment on column ops.order_items.state is
  'ready (due, with a job), leased (its call is under way), waiting (for its next question), limited (due, waits for a
place at its supplier), held (an operator decides), stuck (asked every ten minutes) or final.';
comment on column ops.order_items.supplier_cost is
  'What a unit costs in supplier_currency: as the supplier charged it where it says so, else by the chosen offer.';
comment on column ops.order_items.rate is
  'What a unit of supplier_currency was in the order''s currency when the offer was chosen; 1 where both are the same.';
comment on column ops.order_items.offered_cost is
  'The cost of the offer where the supplier charged another price (in offered_currency); null: it charged that.';
