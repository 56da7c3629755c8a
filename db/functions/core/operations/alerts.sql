create or replace view core.alerts as
with uncounted as (
  select o.alert_id, o.kind, o.subject, o.account_id,
    core.merged_message(o.kind, array_agg(o.message order by o.id)) as message, count(*)::int as count,
    min(o.at) as first_at, max(o.at) as last_at
  from supply.occurrences o group by o.alert_id, o.kind, o.subject, o.account_id
), known as (
  select a.id, a.kind, a.subject, a.account_id, a.hour,
    core.merged_message(a.kind, array[a.message, u.message]) as message,
    a.count + coalesce(u.count, 0) as count, a.first_at,
    coalesce(greatest(a.last_at, u.last_at), a.last_at) as last_at,
    case when a.closed_at is null or u.count is null then a.sent_at end as sent_at,
    case when a.closed_at is null or u.count is null then a.opened_at else u.first_at end as opened_at,
    case when u.count is null then a.closed_at end as closed_at,
    case when u.count is null then a.end_sent_at end as end_sent_at, u.count is null as is_counted
  from supply.alerts a left join uncounted u on u.alert_id = a.id
  union all
  select u.alert_id, u.kind, u.subject, u.account_id, date_trunc('hour', u.first_at, 'UTC'), u.message, u.count,
    u.first_at, u.last_at, null, u.first_at, null, null, false
  from uncounted u where not exists (select from supply.alerts a where a.id = u.alert_id)
)
select k.*, concat_ws(':', k.kind, k.subject, 'account ' || k.account_id) as cause,
  looked.at as acknowledged_at, looked.operator as acknowledged_by, looked.note,
  coalesce(looked.count >= k.count, false) as is_acknowledged
from known k
left join lateral (
  select l.* from supply.acknowledgements l where l.alert_id = k.id order by l.id desc limit 1) as looked on true;
comment on view core.alerts is
  'The alerts, with the occurrences that work.collect_alerts has not counted yet (is_counted is false) and what an
operator last said. cause: kind, subject and account, for people.
is_acknowledged: it has not happened again since.';
