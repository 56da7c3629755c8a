create or replace view ops.alerts as
select
  a.id as alert_id,
  a.cause,
  a.message,
  a.count,
  a.first_at,
  a.last_at,
  a.sent_at,
  a.hour
from supply.alerts a;
comment on view ops.alerts is 'What operators have to look at: one row per cause and hour.';
comment on column ops.alerts.alert_id is 'The alert.';
comment on column ops.alerts.cause is 'What happened, and to whom.';
comment on column ops.alerts.message is 'The first occurrence in words.';
comment on column ops.alerts.count is 'How often it happened in that hour.';
comment on column ops.alerts.first_at is 'When it first happened.';
comment on column ops.alerts.last_at is 'When it last happened.';
comment on column ops.alerts.sent_at is 'When it was logged, and posted where an alert webhook is set; null: not yet.';
comment on column ops.alerts.hour is 'The hour that the row stands for.';
revoke all on ops.alerts from public;
grant select on ops.alerts to supply_operator;
