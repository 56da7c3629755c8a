create or replace function core.lock_redeliveries(account_id bigint)
returns supply.redelivery_windows
language sql set search_path = pg_catalog, pg_temp
as $$
  insert into supply.redelivery_windows as w (account_id, started_at, requests)
  values (lock_redeliveries.account_id, clock_timestamp(), 0)
  on conflict on constraint redelivery_windows_pkey do update set
    started_at = case when w.started_at <= excluded.started_at - interval '60 s'
      then excluded.started_at else w.started_at end,
    requests = case when w.started_at <= excluded.started_at - interval '60 s' then 0 else w.requests end
  returning w.*
$$;
comment on function core.lock_redeliveries is
  'Locks and returns the current window of 60 s of the redeliveries of an account: its requests follow each other. Call
it before an event is locked.';
