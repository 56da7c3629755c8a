-- Jobs that a worker has, and those that none may take any more: few among all that wait, and looked for every 5 s.
create index jobs_taken on graphile_worker._private_jobs (locked_by) where is_available = false;

set local role supply_owner;

alter table supply.worker_pools add column lost_jobs bigint[] not null default '{}';
comment on column supply.worker_pools.lost_jobs is
  'The queue''s numbers of the jobs that it had locked, and of which its process did not know, when that last compared them.';

reset role;
