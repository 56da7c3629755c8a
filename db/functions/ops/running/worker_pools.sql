create or replace view ops.worker_pools as
select w.pool_id, w.started_at, w.seen_at, (select count(*)::int from core.jobs j where j.locked_by = w.pool_id) as jobs
from supply.worker_pools w;
comment on view ops.worker_pools is 'The registered pools of workers, and the number of jobs that each has.';
comment on column ops.worker_pools.jobs is 'The number of jobs that it has locked.';
