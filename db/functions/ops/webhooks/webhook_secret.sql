create or replace function ops.webhook_secret(account_id anycompatible)
returns text
language plpgsql security definer set search_path = pg_catalog, pg_temp
as $$
declare
  wanted_id constant bigint := core.refer_to('account', account_id)::bigint;
  secret text;
begin
  select s.secret into secret from supply.webhook_secrets s where s.account_id = wanted_id;
  if found then
    perform core.log_operator('webhook_secret', 'account ' || wanted_id);
  end if;
  return secret;
end
$$;
comment on function ops.webhook_secret is
  'The secret that signs an account''s events, to be handed to the partner; null before the first delivery. Each call
is logged. Specification 2.5.';
