create or replace function work.begin_notification(alert_id uuid)
returns table (
  status text, is_notified boolean, kind text, subject text, account_id bigint, cause text, message text, count int,
  first_at timestamptz, opened_at timestamptz, closed_at timestamptz
)
language sql stable security definer set search_path = pg_catalog, pg_temp
as $$
  select case when a.closed_at is null then 'firing' else 'resolved' end, a.sent_at is not null,
    a.kind::text, a.subject, a.account_id, c.cause, a.message, a.count, a.first_at, a.opened_at, a.closed_at
  from supply.alerts a join core.alerts c on c.id = a.id
  where a.id = begin_notification.alert_id and (a.sent_at is null or a.closed_at is not null and a.end_sent_at is null)
$$;
comment on function work.begin_notification is
  'Returns what operators are to be notified of: an alert is firing, or is resolved; is_notified: they were notified
before. No row: there is nothing to tell.
nullable: account_id, closed_at';
