create or replace view ops.alerts as
select a.id as alert_id, a.cause, a.message, a.count, a.first_at, a.last_at, a.sent_at, a.hour, a.acknowledged_at,
  a.acknowledged_by, a.note,
  case
    when a.closed_at is not null then 'closed'
    when a.acknowledged_at >= a.last_at then 'acknowledged'
    else 'open'
  end as state, a.opened_at as since, a.closed_at, a.end_sent_at
from supply.alerts a;
comment on view ops.alerts is
  'The alerts, one row per cause and hour. ops.acknowledge records that an operator has looked at one.';
comment on column ops.alerts.alert_id is 'The alert.';
comment on column ops.alerts.state is
  'open; acknowledged: an operator has looked at it since it last happened; closed: its cause is gone. A closed alert
that happens again in its hour is open again.';
comment on column ops.alerts.since is 'When it was opened last.';
