create or replace function core.log_operator(action text, subject text, detail jsonb default '{}')
returns void
language sql set search_path = pg_catalog, pg_temp
as $$
  select core.end_when_idle();
  insert into supply.operator_log (action, subject, detail)
  values (log_operator.action, log_operator.subject, log_operator.detail)
$$;
comment on function core.log_operator is
  'Records an operator''s action and its subject; the login is taken from the session. Never pass a secret.';
