create or replace function ops.webhook_secret(account_id bigint)
returns text
language plpgsql security definer set search_path = pg_catalog, pg_temp
as $$
declare
  secret text;
begin
  perform core.require(exists (select from supply.accounts a where a.id = webhook_secret.account_id),
    format('there is no account %s', coalesce(account_id::text, 'null')), 'no_data_found', 'ops.accounts lists the accounts.');
  select s.secret into secret from supply.webhook_secrets s where s.account_id = webhook_secret.account_id;
  if found then
    perform core.log_operator('webhook_secret', 'account ' || account_id);
  end if;
  return secret;
end
$$;
comment on function ops.webhook_secret is
  'The secret that signs an account''s events, to be handed to the partner; null before the first delivery. Each '
  'call is logged. Specification 2.5.';
