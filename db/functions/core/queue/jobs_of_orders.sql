create or replace view core.jobs_of_orders as
select j.*, o.code as order_code
from core.jobs j
-- Joined, and not looked up for each row, so that the jobs of an order are found from the order on.
left join (
  select i.id, i.order_id from supply.order_items i
  union all
  select e.id, e.order_id from supply.events e
) as s on s.id = j.subject
left join supply.orders o on o.id = s.order_id;
comment on view core.jobs_of_orders is 'The jobs with the order that each is for: core.jobs has all but that.';
comment on column core.jobs_of_orders.order_code is 'The order, if the job is for an item or an event of one.';
comment on column core.jobs_of_orders.id is 'The queue''s number of the job.';
