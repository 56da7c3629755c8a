create or replace view core.items as
select case
    when i.completed_at is not null then 'final'
    when i.lease_expires_at is not null then 'leased'
    when i.next_check_at is null then 'held'
    when i.limited_rank is not null and i.limited_at <= now() then 'limited'
    when i.next_check_at <= now() and i.limited_rank is null then 'ready'
    when i.stuck_at is not null then 'stuck'
    else 'waiting'
  end as state, i.*
from supply.order_items i;
comment on view core.items is 'The items with their states, as ops.order_items names them.';
