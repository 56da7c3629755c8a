create or replace function core.cause_stands(alert_kind supply.alert_kind, alert_subject text, of_account bigint)
returns boolean
language plpgsql stable set search_path = pg_catalog, pg_temp
as $$
begin
  return case
    when alert_kind = 'dead_letter' then exists (
      select from supply.events e
      where e.state = 'dead' and not e.simulated and e.dead_reason = alert_subject
        and e.account_id = of_account)
    when alert_kind = 'item_stuck' then exists (
      select from supply.order_items i
      where i.stuck_at is not null and i.completed_at is null and i.supplier = alert_subject)
    when alert_kind = 'item_held' then exists (
      select from supply.order_items i
      where i.held_at is not null and i.completed_at is null and i.supplier = alert_subject)
    when alert_kind = 'failover_loss' then exists (select from supply.origin o where o.lost <> '{}')
    when alert_kind = 'supplier_silent' then exists (
      select from core.supplier_silence s where s.supplier = alert_subject and s.is_silent)
    when alert_kind = 'supplier_circuit' then exists (
      select from supply.suppliers s where s.code = alert_subject and s.open_since is not null)
    when alert_kind = 'supplier_sync' then exists (
      select from supply.suppliers s where s.code = alert_subject and s.active and s.sync_due_at is not null
        and s.sync_error is not null)
    when alert_kind = 'wrong_clock' then exists (
      select from supply.wrong_clocks w
      where w.process_name = alert_subject and w.seen_at > now() - interval '1 minute')
    when alert_kind = 'audit' then exists (
      select from supply.audit_breaches b where b.check_name = alert_subject)
    when alert_kind in ('supplier_balance', 'supplier_credentials', 'supplier_settings') then exists (
      select from supply.suppliers s where s.code = alert_subject and 'supplier_' || s.trouble = alert_kind::text)
  end;
end
$$;
comment on function core.cause_stands is
  'Returns whether the cause of an alert still exists. Null if no table shows that, as with contradicting results,
which an operator acknowledges.';
