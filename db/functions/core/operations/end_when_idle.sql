create or replace function core.end_when_idle()
returns void
language sql set search_path = pg_catalog, pg_temp
as $$
  select set_config('idle_in_transaction_session_timeout', '5s', true)
$$;
comment on function core.end_when_idle is
  'Bounds how long the present transaction may be idle, because it holds locks that orders wait for: after 5 s without
a statement PostgreSQL ends the session. Transactions that only read keep the limit of their login.';
