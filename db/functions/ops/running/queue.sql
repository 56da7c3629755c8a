create or replace view ops.queue as
select
  j.id as job_id,
  j.task,
  j.subject,
  coalesce(
    (select o.code from supply.order_items i join supply.orders o on o.id = i.order_id where i.id = j.subject),
    (select e.order_code from supply.events e where e.id = j.subject)) as order_code,
  j.run_at,
  j.attempts,
  j.max_attempts,
  j.locked_at,
  j.locked_by,
  j.last_error,
  j.key,
  j.created_at,
  j.is_in_turn as available
from core.jobs j;
comment on view ops.queue is 'The jobs of the queue, and the subject of each.';
comment on column ops.queue.job_id is 'The queue''s number of the job.';
comment on column ops.queue.order_code is 'The order that it is for, if it is for one.';
comment on column ops.queue.available is
  'Whether a worker takes it once it is due. Those that are next are found at once by: where available order by run_at.';
