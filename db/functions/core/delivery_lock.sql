create or replace function core.delivery_lock(account_id bigint)
returns bigint
language sql immutable strict set search_path = pg_catalog, pg_temp
as $$ select hashtextextended('deliveries of account ' || account_id, 0) $$;
comment on function core.delivery_lock is 'The key of the advisory lock of an account''s deliveries.';
revoke all on function core.delivery_lock from public;
