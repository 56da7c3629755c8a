create or replace function ops.acknowledge(alert_id uuid, note text)
returns void
language plpgsql security definer set search_path = pg_catalog, pg_temp
as $$
declare
  cause text;
  count int;
begin
  perform core.require(length(trim(acknowledge.note)) between 1 and 1000, 'note must say what the result was, in 1 to 1000 characters');
  update supply.alerts a set acknowledged_at = clock_timestamp(), acknowledged_by = session_user, note = trim(acknowledge.note)
  where a.id = acknowledge.alert_id returning a.cause, a.count into cause, count;
  perform core.require(found, format('there is no alert %s: ops.alerts lists them', acknowledge.alert_id), 'no_data_found');
  if core.cause_stands(cause) is null then
    perform core.close_alerts(array[acknowledge.alert_id], array[count]);
  end if;
  perform core.log_operator('acknowledge', 'alert ' || acknowledge.alert_id, jsonb_build_object('cause', cause, 'note', trim(acknowledge.note)));
end
$$;
comment on function ops.acknowledge is
  'Says that an alert was looked at, and with which result: ops.attention does not show it any more. A repeat counts as new. '
  'It closes by itself when its cause is gone; where nothing in the tables tells that, as of contradicting results, this closes it. '
  'Raises if there is no such alert, or the note is blank.';
