create or replace function work.begin_calls(
  item_ids uuid[], under_way jsonb default '{}', supplier_cap int default null
)
returns table (
  ordinal int, item_id uuid, claim_id uuid, method text, protocol text, base_url text, token text,
  reference uuid, sku text, quantity int, delivery_data jsonb, supplier text
)
language plpgsql security definer set search_path = pg_catalog, pg_temp
as $$
#variable_conflict use_column
declare
  item supply.order_items;
  its_supplier supply.suppliers;
  due_at timestamptz;
  calls int;
  later_ids uuid[] := '{}';
  later_times timestamptz[] := '{}';
begin
  for item in
    select i.* from supply.order_items i where i.id = any (item_ids) order by i.id for no key update
  loop
    continue when item.completed_at is not null or item.status = 'pending';
    due_at := coalesce(item.claim_expires_at, item.next_check_at);
    -- Without a claim, nothing planned means held for an operator.
    continue when due_at is null;
    calls := coalesce((under_way ->> item.supplier)::int, 0) + 1;
    if due_at <= now() and calls > supplier_cap then
      due_at := now() + core.patience(now() - coalesce(item.next_check_at, now()));
    end if;
    -- Whoever comes too early, by a clock that was set back or a job that had a successor, must not be the last to come.
    if due_at > now() then
      later_ids := later_ids || item.id;
      later_times := later_times || due_at;
      continue;
    end if;
    under_way := under_way || jsonb_build_object(item.supplier, calls);

    claim_id := gen_random_uuid();
    method := item.next_call;
    update supply.order_items i set
      next_call = 'get', sent_at = coalesce(i.sent_at, now()), claim_id = begin_calls.claim_id,
      claim_expires_at = now() + interval '45 s'
    where i.id = item.id;
    insert into supply.supplier_attempts (item_id, supplier, method, claim_id)
    values (item.id, item.supplier, begin_calls.method, begin_calls.claim_id);

    select s.* into strict its_supplier from supply.suppliers s where s.code = item.supplier;
    ordinal := array_position(item_ids, item.id);
    item_id := item.id; reference := item.id; sku := item.sku; quantity := item.amount; delivery_data := item.delivery_data;
    supplier := item.supplier; protocol := its_supplier.protocol; base_url := its_supplier.base_url; token := its_supplier.token;
    return next;
  end loop;
  perform core.enqueue('call_supplier', later_ids, later_times, 'call_supplier');
end
$$;
comment on function work.begin_calls is
  'Claims the calls to suppliers that are due now for these lines, before they are made, and gives what to call; ordinal is the line''s '
  'place in item_ids. A line is sent (put) only if it was never sent or the supplier never received it; else it is asked for (get). '
  'A claim holds for 45 s; a line under another''s claim is looked at again when that ends. Of a supplier who has supplier_cap calls under '
  'way in the asking process ({supplier: calls}; a null cap: any number) the others wait: one who hangs does not hold up the rest.';
revoke all on function work.begin_calls from public;
grant execute on function work.begin_calls to supply_worker;
