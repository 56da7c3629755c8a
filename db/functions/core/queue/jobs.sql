create or replace view core.jobs as
select j.id, t.identifier as task,
  case when j.payload ->> 'id' ~ '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$'
    then (j.payload ->> 'id')::uuid end as subject,
  j.run_at, j.attempts::int as attempts, j.max_attempts::int as max_attempts, j.locked_at, j.locked_by, j.last_error,
  j.key, j.created_at, j.updated_at, j.is_available, j.is_available and j.priority = 0 as is_in_turn, j.priority
from graphile_worker._private_jobs j
join graphile_worker._private_tasks t on t.id = j.task_id;
comment on view core.jobs is
  'The jobs with the id that their payload carries, which the view of the queue omits: subject is the item, event,
simulated order, alert or check. is_available: no worker has it; is_in_turn: also with the priority of all jobs of the
service, so that an index finds the next ones. The one place that reads the tables of the queue.';
