create or replace view ops.alerts as
select
  a.id as alert_id,
  a.cause,
  a.message,
  a.count,
  a.first_at,
  a.last_at,
  a.sent_at,
  a.hour,
  a.acknowledged_at,
  a.acknowledged_by,
  a.note
from supply.alerts a;
comment on view ops.alerts is 'What operators have to look at: one row per cause and hour.';
comment on column ops.alerts.alert_id is 'The alert.';
comment on column ops.alerts.sent_at is 'When it was logged, and posted where an alert webhook is set; null: not yet.';
