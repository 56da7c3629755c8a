create or replace function core.random_bytes()
returns bytea
language sql volatile set search_path = pg_catalog, pg_temp
as $$
  -- Each UUID draws 122 bits from the server's secure random source.
  select sha256(uuid_send(gen_random_uuid()) || uuid_send(gen_random_uuid()) || uuid_send(gen_random_uuid()))
$$;
comment on function core.random_bytes is 'Returns 32 random bytes for a secret.';
