create or replace view ops.queue as
select j.id as job_id, j.task, j.subject, o.code as order_code,
  -- As the index jobs_due has it.
  j.run_at at time zone 'UTC' at time zone 'UTC' as run_at,
  j.attempts, j.max_attempts, j.locked_at, j.locked_by, j.last_error, j.key, j.created_at, j.is_available as available
from core.jobs j
-- Joined, and not looked up for each row, so that the jobs of an order are found from the order on.
left join (
  select i.id, i.order_id from supply.order_items i
  union all
  select e.id, e.order_id from supply.events e
) as s on s.id = j.subject
left join supply.orders o on o.id = s.order_id;
comment on view ops.queue is 'The jobs of the queue, and the subject of each. ops.queue_lengths counts them.';
comment on column ops.queue.job_id is 'The queue''s number of the job.';
comment on column ops.queue.task is
  'call_supplier, deliver_webhook, deliver_waiting (retries, and first attempts of slow receivers), or
alert_operators.';
comment on column ops.queue.subject is 'The item, event or alert of the job.';
comment on column ops.queue.order_code is 'The order of the subject, if there is one.';
comment on column ops.queue.available is
  'Whether a worker takes it when it is due. A worker has the others, or they failed too often.';
comment on column ops.queue.run_at is 'When it is due.';
comment on column ops.queue.attempts is 'How often workers took it.';
comment on column ops.queue.max_attempts is 'After this many attempts no worker takes it.';
comment on column ops.queue.locked_at is 'When a worker took it; null: no worker has it.';
comment on column ops.queue.locked_by is 'The worker that has it.';
comment on column ops.queue.last_error is 'Why it last failed, if it did.';
comment on column ops.queue.key is 'The job key: a later job with the same one replaces it.';
comment on column ops.queue.created_at is 'When it was added.';
