create or replace function core.enqueue_calls(item_ids uuid[])
returns void
language sql set search_path = pg_catalog, pg_temp
as $$
  select core.enqueue('call_supplier', array_agg(i.id), array_agg(i.next_check_at), 'call_supplier')
  from supply.order_items i
  where i.id = any (item_ids) and i.completed_at is null and i.next_check_at is not null and i.claim_expires_at is null
  having count(*) > 0
$$;
comment on function core.enqueue_calls is
  'Enqueues the planned call of each of the items that has one; its job replaces an earlier one.';
