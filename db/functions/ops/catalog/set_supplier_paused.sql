-- Roles: support, trade
create or replace function ops.set_supplier_paused(code text, reason text)
returns void
language plpgsql security definer set search_path = pg_catalog, pg_temp
as $$
declare
  -- work.begin_calls holds this lock while it makes items wait for the pause, so this sees them all.
  known supply.suppliers := core.lock_supplier(code);
  waiting uuid[];
begin
  perform core.require(reason is null or not core.is_blank(reason) and length(reason) <= 500,
    'reason must have 1 to 500 characters; null ends the pause');
  if known.paused_reason is not distinct from reason then
    raise notice 'supplier % is already %: nothing changed', known.code, case when reason is null then 'not paused'
      else 'paused for this reason' end;
    return;
  end if;
  update supply.suppliers s set
    paused_at = case when reason is not null then coalesce(s.paused_at, now()) end,
      paused_reason = set_supplier_paused.reason, updated_at = now()
  where s.code = known.code;
  if reason is null then
    waiting := array(
      select i.id from supply.order_items i
      where i.completed_at is null and i.supplier = known.code and i.next_call = 'put' and i.sent_at is null
        and i.next_check_at > now()
      order by i.order_id, i.position for no key update skip locked);
    update supply.order_items i set next_check_at = now() where i.id = any (waiting);
    -- Jobs that are due at the same moment run in any order.
    perform core.enqueue('call_supplier', waiting, array(
      select now() + place * interval '1 microsecond' from generate_subscripts(waiting, 1) as place), 'call_supplier');
    raise notice 'supplier % gets new items again; % that waited for it are due now', known.code, cardinality(waiting);
  else
    raise notice 'supplier % is paused: new items go to other suppliers, or wait; its items are still polled',
      known.code;
  end if;
  perform core.log_operator('set_supplier_paused', 'supplier ' || code,
    jsonb_strip_nulls(jsonb_build_object('reason', reason, 'items', cardinality(waiting))));
end
$$;
comment on function ops.set_supplier_paused is
  'Pauses a supplier, with a reason, or ends the pause (null). New items use other suppliers of the product, or wait.
Items that it has are still polled. After the pause the oldest waiting items are sent first.';
