create or replace view core.jobs as
select
  j.id,
  t.identifier as task,
  case when j.payload ->> 'id' ~ '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$' then (j.payload ->> 'id')::uuid end as subject,
  j.run_at,
  j.attempts::int as attempts,
  j.max_attempts::int as max_attempts,
  j.locked_at,
  j.locked_by,
  j.last_error,
  j.key,
  j.created_at,
  j.updated_at,
  j.is_available,
  j.is_available and j.priority = 0 as is_in_turn,
  j.priority
from graphile_worker._private_jobs j
join graphile_worker._private_tasks t on t.id = j.task_id;
comment on view core.jobs is
  'The jobs with the id that their payload carries, which the queue''s own view leaves out. The one place that '
  'reads the queue''s tables.';
comment on column core.jobs.id is 'The queue''s number of the job.';
comment on column core.jobs.task is 'call_supplier, deliver_webhook, deliver_waiting, settle_simulation, alert_operators, check_supplier, seal_typed, housekeeping or run_audit.';
comment on column core.jobs.subject is 'The item, event, simulated order, alert or check that it is for; null: a task that runs at set times.';
comment on column core.jobs.run_at is 'When it is due.';
comment on column core.jobs.attempts is 'How often a worker took it.';
comment on column core.jobs.max_attempts is 'After so many it is not taken any more.';
comment on column core.jobs.locked_at is 'Since when a worker has it; null: none has.';
comment on column core.jobs.locked_by is 'Which worker has it.';
comment on column core.jobs.last_error is 'Why it failed last, if it did.';
comment on column core.jobs.key is 'The job key: a later job with the same one replaces it.';
comment on column core.jobs.created_at is 'When it was added.';
comment on column core.jobs.updated_at is 'When it was last added again, taken, or given back.';
comment on column core.jobs.is_available is 'Whether a worker may take it once it is due.';
comment on column core.jobs.is_in_turn is
  'Whether a worker may take it once it is due, with the priority that all jobs of the service have: those that are due next are found by run_at.';
comment on column core.jobs.priority is 'Jobs of a lower one are taken first; those of the service have 0.';
