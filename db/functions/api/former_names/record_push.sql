create or replace function api.record_push(supplier text, item_id uuid, result jsonb, lock_wait_ms int default null)
returns text
language sql security definer set search_path = pg_catalog, pg_temp
as $$ select r.answer from api.record_pushed_result(supplier, item_id, result, lock_wait_ms) r $$;
comment on function api.record_push is
  'The former name of api.record_pushed_result, for API processes that still run while the database is migrated.';
