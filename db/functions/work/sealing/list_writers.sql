create or replace function work.list_writers()
returns table (transaction text, pid int)
language sql stable security definer set search_path = pg_catalog, pg_temp
as $$
  select distinct l.virtualtransaction, l.pid
  from pg_locks l
  join pg_class c on c.oid = l.relation
  where l.database = (select d.oid from pg_database d where d.datname = current_database())
    and l.mode in ('RowShareLock', 'RowExclusiveLock') and l.pid <> pg_backend_pid()
    and c.relnamespace = 'supply'::regnamespace
$$;
comment on function work.list_writers is
  'Returns the transactions that have locked or changed rows of this service and are still open, with the process id of
their session.';
