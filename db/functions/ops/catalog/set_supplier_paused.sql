-- Roles: support, trade
create or replace function ops.set_supplier_paused(code text, reason text)
returns void
language plpgsql security definer set search_path = pg_catalog, pg_temp
as $$
declare
  known supply.suppliers := core.lock_supplier(code);
  waiting int;
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
    waiting := (
      select count(*) from supply.order_items i
      where i.supplier = known.code and i.limited_rank = 0 and i.completed_at is null);
    raise notice 'supplier % gets new items again (it was paused: %); % wait for it, the oldest are sent first',
      known.code, known.paused_reason, waiting;
  else
    raise notice 'supplier % is paused: new items go to other suppliers, or wait; its items are still polled%',
      known.code, coalesce(' (before: ' || known.paused_reason || ')', '');
  end if;
  perform core.log_operator('set_supplier_paused', 'supplier ' || code,
    jsonb_strip_nulls(jsonb_build_object('reason', reason, 'items', waiting, 'before',
      known.paused_reason)));
end
$$;
comment on function ops.set_supplier_paused is
  'Pauses a supplier, with a reason, or ends the pause (null). New items use other suppliers of the product, or wait.
Items that it has are still polled. After the pause the oldest waiting items are sent first.';
