-- Roles: support
create or replace function ops.webhook_secret(account_id anycompatible)
returns text
language plpgsql security definer set search_path = pg_catalog, pg_temp
as $$
declare
  stored record;
begin
  select s.account_id, s.secret into stored from ops.stored_webhook_secret(webhook_secret.account_id) s;
  perform core.require(coalesce(stored.secret not like 'sealed:%', true),
    format('the secret of account %s is sealed with DATA_KEYS', stored.account_id), 'object_not_in_prerequisite_state',
    format('npm run webhook-secret -- %s shows it.', stored.account_id));
  return stored.secret;
end
$$;
comment on function ops.webhook_secret is
  'The secret that signs an account''s events, to be handed to the partner; null before the first delivery. Each call is
logged. Raises where the secret is sealed: npm run webhook-secret shows it then. Specification 2.5.';
