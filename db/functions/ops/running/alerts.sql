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
  'What operators have to look at: one row per cause and hour. Those that nobody has looked at are open;
ops.acknowledge says so.';
comment on column ops.alerts.alert_id is 'The alert.';
comment on column ops.alerts.sent_at is 'When it was logged, and posted where an alert webhook is set; null: not yet.';
comment on column ops.alerts.state is
  'open; acknowledged: somebody has looked at it since it last happened; closed: its cause is gone. A closed one that
happens again in its hour is open again.';
comment on column ops.alerts.since is 'Since when it is open, or when it was opened last.';
