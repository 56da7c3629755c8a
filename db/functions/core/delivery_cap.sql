create or replace function core.delivery_cap()
returns int
language sql immutable set search_path = pg_catalog, pg_temp
as $$ select 8 $$;
comment on function core.delivery_cap is 'How many deliveries of one account may be under way at once, over all workers.';
revoke all on function core.delivery_cap from public;
