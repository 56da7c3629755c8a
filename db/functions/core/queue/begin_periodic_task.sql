create or replace function core.begin_periodic_task(task text)
returns boolean
language plpgsql set search_path = pg_catalog, pg_temp
as $$
begin
  update supply.periodic_tasks t set succeeded_at = now()
  where t.task = (select p.task from supply.periodic_tasks p where p.task = begin_periodic_task.task for update skip locked);
  return found;
end
$$;
comment on function core.begin_periodic_task is
  'Takes the row lock of a periodic task until the end of the transaction, which notes its success; false where another transaction has it. '
  'Only the owner can lock these rows: an advisory lock could be held by any login.';
