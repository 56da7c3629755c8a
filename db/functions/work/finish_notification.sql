create or replace function work.finish_notification(alert_id uuid, status text)
returns void
language sql security definer set search_path = pg_catalog, pg_temp
as $$
  -- An alert that opened again while its end was sent is to be sent once more.
  update supply.alerts a set
    sent_at = coalesce(a.sent_at, now()),
    end_sent_at = coalesce(a.end_sent_at, case when finish_notification.status = 'resolved' then now() end)
  where a.id = finish_notification.alert_id and (finish_notification.status = 'firing' or a.closed_at is not null)
$$;
comment on function work.finish_notification is
  'Records that operators were notified that an alert is firing, or resolved. Then work.begin_notification returns
what else there is to tell.';
