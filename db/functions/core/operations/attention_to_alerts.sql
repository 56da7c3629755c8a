create or replace view core.attention_to_alerts as
select al.opened_at as since,
  case when al.is_known then replace(al.kind::text, '_', ' ') else 'alert' end as what,
  case when al.supplier is not null then 'supplier ' || al.supplier else 'alert ' || al.id end as subject,
  al.message || case
    when al.kind = 'supplier_circuit' then '. This ends with its next usable answer'
    when al.kind in ('supplier_balance', 'supplier_credentials', 'supplier_settings')
      then ' and continue by themselves when this is fixed'
    when al.closes_supplier
      then format(': ask the supplier; ops.set_supplier_active(%L, false) closes it for new items', al.supplier)
    when al.kind = 'supplier_silent' then ': ask the supplier; it gets no new items'
    when al.count > 1 then format(' (%s such results in that hour)', al.count)
    else ''
  end || format('; ops.acknowledge(%L, note) removes this line', al.id) as detail,
  case when al.supplier is not null then format('select * from ops.supplier_health where supplier = %L', al.supplier)
    else format('select * from ops.alerts where alert_id = %L', al.id) end as remedy,
  null::text as order_code, al.account_id
from (
  select al.*, su.code as supplier, al.kind = 'supplier_silent' and su.active as closes_supplier,
    al.kind in ('contradicting_result', 'sold_twice') or su.code is not null as is_known
  from core.alerts al
  left join supply.suppliers su on su.code = al.subject and al.kind in (
    'supplier_silent', 'supplier_circuit', 'supplier_balance', 'supplier_credentials', 'supplier_settings',
    'supplier_price', 'supplier_balance_fell')
  where al.closed_at is null and not al.is_acknowledged
    and al.kind not in ('dead_letter', 'item_stuck', 'item_held', 'supplier_sync', 'failover_loss', 'low_balance',
      'supplier_balance_low', 'stock_low')
) as al
union all
select coalesce(o.moved_at, o.recorded_at), 'lost in a failover', loss.subject,
  'an API acknowledged this order, or a worker recorded a call about this item, but the database has neither: the '
  'promoted standby had lagged. Workers call no supplier until you call ops.begin_recovery(note)',
  'select * from ops.recovery', null, null
from supply.origin o cross join lateral unnest(o.lost) as loss (subject)
union all
select p.since, 'alerts not sent', p.subject, p.detail,
  'select * from ops.alerts where sent_at is null', null, null
from core.problems p where p.kind = 'alert_webhook'
union all
select late.since, case late.task when 'sweep' then 'sweeper late' else 'audit late' end, 'task ' || late.task,
  format('work.%s has not succeeded for five minutes: is a worker running, and what is in its log?', late.task),
  'select * from ops.worker_pools', null, null
from (
  select t.task, coalesce(t.succeeded_at, (select min(p.started_at) from supply.worker_pools p)) as since
  from supply.periodic_tasks t where t.task in ('sweep', 'run_audit')
) as late
where late.since < now() - interval '5 minutes';
comment on view core.attention_to_alerts is
  'The rows of ops.attention about open alerts, losses in a failover, and a late sweeper or audit.';
