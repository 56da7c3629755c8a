create or replace view core.attention_to_suppliers as
select s.paused_at as since, 'supplier paused' as what, 'supplier ' || s.code as subject,
  format('%s: %s %s for it; the remedy ends the pause and sends them', s.paused_reason, w.items, case w.items when 1
    then 'item waits' else 'items wait' end)
    as detail,
  format('select ops.set_supplier_paused(%L, null)', s.code) as remedy, null::text as order_code,
    null::bigint as account_id
from supply.suppliers s
cross join lateral (
  select count(*) as items from supply.order_items i
  where i.completed_at is null and i.supplier = s.code and i.next_call = 'put' and i.sent_at is null
) as w
where s.paused_at is not null and w.items > 0;
comment on view core.attention_to_suppliers is
  'The lines of ops.attention about suppliers that are paused while items wait for them.';
