create or replace view core.items_for_operators as
select i.*, case when i.held_at is null then 'stuck' else 'held' end as why, coalesce(i.held_at, i.stuck_at) as since
from supply.order_items i
where (i.stuck_at is not null or i.held_at is not null) and i.completed_at is null;
comment on view core.items_for_operators is
  'The open items that an operator must look at. why: held, because an answer made no sense, else stuck, because the
supplier''s deadline has passed. since: when that began.';
