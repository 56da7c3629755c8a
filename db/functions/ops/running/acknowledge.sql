-- Roles: support, trade, finance
create or replace function ops.acknowledge(alert_id anycompatible, note text)
returns void
language plpgsql security definer set search_path = pg_catalog, pg_temp
as $$
declare
  wanted constant text := core.text_of(alert_id);
  wanted_id constant uuid := core.uuid_of(trim(wanted));
  alert core.alerts;
begin
  perform core.require(length(trim(acknowledge.note)) between 1 and 1000,
    'note must say what the result was, in 1 to 1000 characters');
  select a.* into alert from core.alerts a where a.id = wanted_id;
  perform core.require(found, format('there is no alert %s', coalesce(quote_literal(wanted), 'null')),
    'no_data_found',
    'Give an alert_id: select alert_id, message from ops.alerts where state = ''open''');
  if alert.is_acknowledged and alert.note = trim(acknowledge.note) then
    raise notice 'alert % is acknowledged with this note already: nothing changed', alert.cause;
    return;
  end if;
  insert into supply.acknowledgements (alert_id, count, note) values (alert.id, alert.count, trim(acknowledge.note));
  perform core.log_operator('acknowledge', 'alert ' || wanted_id, jsonb_build_object('cause', alert.cause, 'note',
    trim(acknowledge.note)));
  raise notice 'alert % is acknowledged: ops.attention shows it again only if it happens again', alert.cause;
end
$$;
comment on function ops.acknowledge is
  'Records that an operator looked at an alert, and with which result. ops.attention does not show it any more, unless
it happens again. An alert closes by itself when its cause is gone; where no table shows that, as with contradicting
results, a worker closes it after this. Raises if there is no such alert, or the note is blank.';
