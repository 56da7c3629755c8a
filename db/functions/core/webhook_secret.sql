create or replace function core.webhook_secret(account_id bigint)
returns text
language plpgsql set search_path = pg_catalog, pg_temp
as $$
#variable_conflict use_column
begin
  insert into supply.webhook_secrets (account_id, secret)
  values (webhook_secret.account_id, encode(sha256(uuid_send(gen_random_uuid()) || uuid_send(gen_random_uuid()) || uuid_send(gen_random_uuid())), 'hex'))
  on conflict on constraint webhook_secrets_pkey do nothing;
  return (select s.secret from supply.webhook_secrets s where s.account_id = webhook_secret.account_id);
end
$$;
comment on function core.webhook_secret is
  'The account''s signing secret, 64 hexadecimal characters, made now if this is its first delivery. Specification 2.5.';
revoke all on function core.webhook_secret from public;
