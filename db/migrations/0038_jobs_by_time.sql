-- Operators read the queue in the order in which its jobs are due, whoever has them: the queue's own index has the free
-- ones of each priority. By an expression, which ops.queue has for run_at, so that a fetch of jobs cannot take this one.
create index jobs_due on graphile_worker._private_jobs ((run_at at time zone 'UTC' at time zone 'UTC'));
