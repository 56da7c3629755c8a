set local role supply_owner;

-- An order's part was a line, a delivered code a key, and a round over the retry ladder a ladder.
comment on column supply.products.delivery_type is 'id_only: a top-up to a player id. key: delivers codes. Other values are free text.';
comment on column supply.products.max_quantity is 'The most units one order item may have.';
comment on column supply.suppliers.active is 'An inactive supplier gets no new items; those it has are still asked for.';

comment on column supply.orders.total_amount is 'What was charged: the sum of price times amount over the items.';
comment on column supply.orders.updated_at is 'When it or one of its items last changed its status.';

comment on table supply.order_items is 'The items of orders, and how far each is with its supplier.';
comment on column supply.order_items.id is 'The item''s UUID; of part 0 also its reference at the supplier.';
comment on column supply.order_items.part is '1 for the failed rest of an item of which only a part was delivered.';
comment on column supply.order_items.delivery_type is 'The product''s delivery type at the time of the order; key items deliver codes.';
comment on column supply.order_items.refunded_amount is 'What of the item went back to the balance.';
comment on column supply.order_items.error_code is 'The supplier''s errorCode, if the item failed with one.';
comment on column supply.order_items.completed_at is 'When the item became final.';
comment on column supply.order_items.supplier is 'Who has the item now.';
comment on column supply.order_items.tried_suppliers is 'Suppliers that refused the item as out of stock.';
comment on column supply.order_items.claim_id is 'The fencing token of the call that is under way, or was last.';
comment on column supply.order_items.claim_expires_at is 'When the lease of the call under way ends; null: none is under way.';
comment on column supply.order_items.held_at is 'When an answer that makes no sense put the item on hold for an operator.';

comment on table supply.item_keys is 'The codes that a supplier gave for an item; partners see those of completed items.';
comment on column supply.item_keys.item_id is 'The item.';
comment on column supply.item_keys.position is 'The order in which the codes came, from 0.';
comment on column supply.item_keys.code is 'The code.';

comment on column supply.supplier_attempts.item_id is 'The item.';
comment on column supply.supplier_attempts.claim_id is 'The fencing token of the call; null for pushes and operators.';
comment on column supply.supplier_attempts.raw is 'The beginning of an answer that made no sense; it may hold codes.';
comment on column supply.ledger.item_id is 'The item refunded.';

comment on column supply.events.ladder is 'The round over the retry ladder, from 1; a redelivery starts the next.';
comment on column supply.events.attempts is 'Attempts begun in the present round: nine at most.';
comment on column supply.events.claim_id is 'The fencing token of the attempt that is under way, or was last.';
comment on column supply.events.claim_expires_at is
  'While sending, when the lease of the attempt ends; while ready, until when a worker should have begun it.';
comment on column supply.delivery_attempts.ladder is 'The round over the retry ladder, from 1.';
comment on column supply.delivery_attempts.attempt is 'The attempt in that round, 1 to 9.';
comment on column supply.delivery_attempts.claim_id is 'The fencing token of the attempt.';
comment on column supply.worker_pools.lock_key is 'The id of the advisory lock that its process holds while it lives.';

-- The audit looks for the alert of each stuck or held item by its present name.
update supply.alerts a set cause = 'item_' || substr(a.cause, length('line_') + 1)
where (starts_with(a.cause, 'line_stuck:') or starts_with(a.cause, 'line_held:'))
  and not exists (
    select from supply.alerts b where b.cause = 'item_' || substr(a.cause, length('line_') + 1) and b.hour = a.hour);

reset role;
