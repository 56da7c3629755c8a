create or replace function core.begin_periodic_task(task text)
returns boolean
language plpgsql set search_path = pg_catalog, pg_temp
as $$
begin
  update supply.periodic_tasks t set succeeded_at = now()
  where t.task = (
    select p.task from supply.periodic_tasks p where p.task = begin_periodic_task.task for update skip locked);
  return found;
end
$$;
comment on function core.begin_periodic_task is
  'Locks the row of a periodic task until the transaction ends, and records that it succeeded; false if another
transaction holds the lock. Only the owner can lock these rows: any login can hold an advisory lock.';
