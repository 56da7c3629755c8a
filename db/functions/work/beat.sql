create or replace function work.beat(lock_key bigint)
returns void
language sql security definer set search_path = ''
as $$
  update supply.worker_pools p set seen_at = now() where p.lock_key = beat.lock_key
$$;
comment on function work.beat is 'The heartbeat of the process that holds the lock: its pools are alive.';
revoke all on function work.beat from public;
grant execute on function work.beat to supply_worker;
