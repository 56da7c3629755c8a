create or replace function core.note_push(item_id uuid, supplier text)
returns bigint
language sql set search_path = pg_catalog, pg_temp
as $$
  insert into supply.supplier_attempts (item_id, supplier, method) values (item_id, supplier, 'push') returning id
$$;
comment on function core.note_push is 'Adds the record of a push about an item, without its result, and returns its id.';
