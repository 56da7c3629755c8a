create or replace function core.await_writers()
returns void
language plpgsql set search_path = pg_catalog, pg_temp
as $$
declare
  until_at constant timestamptz := clock_timestamp() + interval '45 s';
  -- Whoever gets its number later reads the clock later, too.
  writers constant xid[] := array(
    select l.transactionid from pg_locks l left join pg_stat_activity a on a.pid = l.pid
    where l.locktype = 'transactionid' and l.mode = 'ExclusiveLock' and l.granted
      and l.pid is distinct from pg_backend_pid() and coalesce(a.datname = current_database(), true));
  open text;
begin
  loop
    select string_agg(case when a.pid is not null
      then format('session %s of login %s', a.pid, a.usename) else 'a transaction' end, ', ') into open
    from pg_locks l left join pg_stat_activity a on a.pid = l.pid
    where l.locktype = 'transactionid' and l.mode = 'ExclusiveLock' and l.transactionid = any (writers);
    exit when open is null;
    perform core.require(clock_timestamp() < until_at,
      'transactions that have written before are still open: ' || open, 'lock_not_available',
      'Nothing changed. End these transactions, and call it again.');
    perform pg_sleep(0.05);
  end loop;
end
$$;
comment on function core.await_writers is
  'Waits until every transaction has ended that had written something before the call, 45 s at most, then raises
lock_not_available and names their sessions.';
