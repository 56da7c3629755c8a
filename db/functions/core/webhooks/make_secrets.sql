create or replace function core.make_secrets(account_ids bigint[])
returns void
language sql set search_path = pg_catalog, pg_temp
as $$
  insert into supply.webhook_secrets (account_id, secret)
  select a.id, encode(sha256(uuid_send(gen_random_uuid()) || uuid_send(gen_random_uuid()) || uuid_send(gen_random_uuid())), 'hex')
  from (select distinct a.id from unnest(account_ids) as a (id)) as a
  order by a.id
  on conflict on constraint webhook_secrets_pkey do nothing
$$;
comment on function core.make_secrets is
  'Makes the signing secret, 64 hexadecimal characters, of each of the accounts that has none yet. Specification 2.5.';
