create or replace function core.close_alerts(alert_ids uuid[], counts int[])
returns int
language plpgsql set search_path = pg_catalog, pg_temp
as $$
declare
  closed uuid[];
begin
  -- A transaction that has a lock raises the alert again now; one that had the lock since then changed the count.
  closed := array(
    select a.id from supply.alerts a
    where a.id = any (alert_ids) and a.closed_at is null and a.count = counts[array_position(alert_ids, a.id)]
    order by a.cause, a.hour for no key update skip locked);
  update supply.alerts a set closed_at = now() where a.id = any (closed);
  update supply.alerts a set end_sent_at = now()
  where a.id = any (closed) and exists (
    select from supply.alerts o
    where o.cause = a.cause and (o.closed_at is null or o.id = any (closed) and o.hour > a.hour));
  -- An alert that was not sent yet has its job, which sends the end too.
  perform core.enqueue('alert_operators', array(
    select a.id from supply.alerts a where a.id = any (closed) and a.end_sent_at is null and a.sent_at is not null
      order by a.id));
  return cardinality(closed);
end
$$;
comment on function core.close_alerts is
  'Closes the alerts that are open and whose count is still the one at the same place of counts, and returns how many.
The end of a cause is sent with the alert of its last hour, and only when no hour''s alert is open.';
