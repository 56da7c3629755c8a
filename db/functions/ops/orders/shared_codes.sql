create or replace view ops.shared_codes as
select k.item_id, o.code as order_code, o.account_id, i.supplier,
  case when i.status = 'completed' then i.completed_at end as delivered_at,
  dense_rank() over (order by k.identity) as group_id
from (
  select c.item_id, c.identity, count(*) over (partition by c.identity) as items
  from (select k.item_id, core.code_identity(k.code) as identity from supply.item_keys k) as c
) as k
join supply.order_items i on i.id = k.item_id
join supply.orders o on o.id = i.order_id
where k.items > 1;
comment on view ops.shared_codes is
  'The items that share a code, without the code: those with one group_id have the same. Of several items one customer
at most can use it.';
comment on column ops.shared_codes.order_code is 'Its order.';
comment on column ops.shared_codes.account_id is 'The account of the order.';
comment on column ops.shared_codes.supplier is 'The supplier that gave the code, or had the item last.';
comment on column ops.shared_codes.delivered_at is 'When the partner could read the code; null: it was not delivered.';
comment on column ops.shared_codes.group_id is 'A number for each shared code, of this query alone.';
