create or replace view ops.offer_changes as
select c.id as change_id, c.changed_at, c.product_id, p.name as product, c.supplier, c.before, c.after
from supply.offer_changes c
join supply.products p on p.id = c.product_id;
comment on view ops.offer_changes is
  'The changes that suppliers'' lists made to their offers. Operators'' changes are in ops.operator_log.';
comment on column ops.offer_changes.change_id is 'A running number.';
comment on column ops.offer_changes.product is 'The product''s name.';
