create or replace view ops.alerts as
select a.id as alert_id, a.cause,
  a.message || case when waiting.items < a.count
    then format('; of %s such results, %s still wait for an operator', a.count, waiting.items) else '' end as message,
  a.count, a.first_at,
  a.last_at, a.sent_at, a.hour, a.acknowledged_at, a.acknowledged_by, a.note,
  case
    when a.closed_at is not null then 'closed'
    when a.is_acknowledged then 'acknowledged'
    else 'open'
  end as state, a.opened_at as since, a.closed_at, a.end_sent_at, a.kind, a.subject, a.account_id
from core.alerts a
left join lateral (
  select count(*) as items from core.items_for_operators i
  where a.kind in ('item_stuck', 'item_held') and i.supplier = a.subject and 'item_' || i.why = a.kind::text
    and i.since >= a.first_at - interval '1 minute'
  having a.kind in ('item_stuck', 'item_held')) as waiting on true;
comment on view ops.alerts is
  'The alerts, one row per kind, subject, account and hour. ops.acknowledge records that one was looked at.';
comment on column ops.alerts.alert_id is 'The alert.';
comment on column ops.alerts.cause is
  'Kind, subject and account in one text, as the log and the alert webhook have it.';
comment on column ops.alerts.message is
  'The first occurrence in words; of codes that were sold twice, each. Of stuck and held items it says how many were
settled meanwhile.';
comment on column ops.alerts.count is 'How often it happened in that hour.';
comment on column ops.alerts.acknowledged_at is 'When an operator last said that it was looked at.';
comment on column ops.alerts.acknowledged_by is 'The database login of that operator.';
comment on column ops.alerts.note is 'What the operator noted about it.';
comment on column ops.alerts.state is
  'open; acknowledged: an operator has looked at it since it last happened; closed: its cause is gone. A closed alert
that happens again in its hour is open again.';
comment on column ops.alerts.since is 'When it was opened last.';
comment on column ops.alerts.kind is 'What happened.';
comment on column ops.alerts.account_id is 'The account; null: it is about no account.';
comment on column ops.alerts.subject is
  'The reason of dead letters, the supplier, the item or event that does not open, or the check of the audit.';
