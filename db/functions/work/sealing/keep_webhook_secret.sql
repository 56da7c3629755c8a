create or replace function work.keep_webhook_secret(account_id bigint, secret text)
returns text
language plpgsql security definer set search_path = pg_catalog, pg_temp
as $$
begin
  insert into supply.webhook_secrets (account_id, secret)
  values (keep_webhook_secret.account_id, keep_webhook_secret.secret)
  on conflict on constraint webhook_secrets_pkey do nothing;
  perform core.refuse_closed_keys(array[keep_webhook_secret.secret]);
  return (select s.secret from supply.webhook_secrets s where s.account_id = keep_webhook_secret.account_id);
end
$$;
comment on function work.keep_webhook_secret is
  'Keeps the secret that a worker made for an account''s first delivery. Returns the secret that the account has:
another worker may have been first. Specification 2.5.';
