-- Roles: support
create or replace function ops.stored_webhook_secret(account anycompatible)
returns table (account_id bigint, secret text)
language plpgsql security definer set search_path = pg_catalog, pg_temp
as $$
declare
  wanted_id constant bigint := core.refer_to('account', account)::bigint;
begin
  return query select s.account_id, s.secret from supply.webhook_secrets s where s.account_id = wanted_id;
  if found then
    perform core.log_operator('webhook_secret', 'account ' || wanted_id);
  end if;
end
$$;
comment on function ops.stored_webhook_secret is
  'The secret that signs an account''s events as it is stored: npm run webhook-secret opens it. No row before the first
delivery. Each call is logged.';
