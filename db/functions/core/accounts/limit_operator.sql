create or replace function core.limit_operator(login text)
returns void
language plpgsql set search_path = pg_catalog, pg_temp
as $$
declare
  setting record;
begin
  for setting in
    select s.name, s.value
    from (values
      ('idle_in_transaction_session_timeout', '1min'), ('lock_timeout', '5s'), ('statement_timeout', '1min'),
      ('transaction_timeout', '5min')
    ) as s (name, value)
    -- transaction_timeout came with PostgreSQL 17.
    join pg_settings known on known.name = s.name
  loop
    execute format('alter role %I set %I = %L', login, setting.name, setting.value);
  end loop;
  execute format('alter role %I connection limit 10', login);
end
$$;
comment on function core.limit_operator is
  'Bounds how long an operator''s sessions can hold locks that the service waits for, and their number. The caller
needs the right to change the login.';
