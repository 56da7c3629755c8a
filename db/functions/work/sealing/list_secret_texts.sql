create or replace function work.list_secret_texts(key_id text)
returns table (kind text, id text, texts jsonb)
language sql stable security definer set search_path = pg_catalog, pg_temp
as $$
  select t.kind, t.id, to_jsonb(array[t.secret])
  from (
    select 'account' as kind, s.account_id::text as id, s.secret from supply.webhook_secrets s
    union all
    select 'token', s.code, s.token from supply.suppliers s
    union all
    select 'push_secret', s.code, s.push_secret from supply.suppliers s where s.push_secret is not null
  ) as t
  where t.secret not like 'env:%' and not core.is_under_key(array[t.secret], key_id)
$$;
comment on function work.list_secret_texts is
  'Returns the secrets of accounts, and the tokens and push secrets of suppliers, that are not sealed under the data
key. work.replace_texts takes the new texts.';
