create or replace function core.cause_stands(cause text)
returns boolean
language plpgsql stable set search_path = pg_catalog, pg_temp
as $$
declare
  kind constant text := split_part(cause, ':', 1);
  subject constant text := split_part(cause, ':', 2);
begin
  return case
    when kind = 'dead_letter' then exists (
      select from supply.events e
      where e.state = 'dead' and not e.simulated and e.dead_reason = subject
        and e.account_id = substring(cause from 'account ([0-9]{1,18})$')::bigint)
    when kind = 'item_stuck' then exists (
      select from supply.order_items i where i.stuck_at is not null and i.completed_at is null and i.supplier = subject)
    when kind = 'item_held' then exists (
      select from supply.order_items i where i.held_at is not null and i.completed_at is null and i.supplier = subject)
    when kind = 'failover_loss' then exists (select from supply.origin o where o.lost <> '{}')
    when kind = 'supplier_silent' then exists (
      select from core.supplier_silence s where s.supplier = subject and s.is_silent)
    when kind = 'supplier_circuit' then exists (
      select from supply.suppliers s where s.code = subject and s.open_since is not null)
    when kind = 'supplier_sync' then exists (
      select from supply.suppliers s where s.code = subject and s.active and s.sync_due_at is not null
        and s.sync_error is not null)
    when kind = 'audit' then exists (select from supply.audit_breaches b where b.check_name = split_part(cause, ':', 2))
    when kind in ('supplier_balance', 'supplier_credentials', 'supplier_settings') then exists (
      select from supply.suppliers s where s.code = subject and 'supplier_' || s.trouble = kind)
  end;
end
$$;
comment on function core.cause_stands is
  'Returns whether the cause of an alert still exists. Null if no table shows that, as with contradicting results,
which an operator acknowledges.';
