create or replace view ops.queue_lengths as
select j.task, count(*)::int as jobs, count(*) filter (where j.is_available and j.run_at <= now())::int as due,
  min(j.run_at) filter (where j.is_available and j.run_at <= now()) as due_since,
  count(*) filter (where j.locked_at is not null)::int as taken
from core.jobs j
group by j.task;
comment on view ops.queue_lengths is 'The number of jobs of each task in the queue.';
comment on column ops.queue_lengths.task is 'call_supplier, deliver_webhook, deliver_waiting, or alert_operators.';
comment on column ops.queue_lengths.jobs is 'All jobs; most of them wait for their time.';
comment on column ops.queue_lengths.due is 'The jobs that are due and that no worker has taken.';
comment on column ops.queue_lengths.due_since is 'When the first of these was due.';
comment on column ops.queue_lengths.taken is 'The jobs that a worker has.';
