-- Roles: operator
create or replace function ops.release_events(account_id bigint default null, before timestamptz default null,
  dry_run boolean default true)
returns bigint
language plpgsql security definer set search_path = pg_catalog, pg_temp
as $$
declare
  released uuid[];
begin
  perform core.require(dry_run is not null, 'dry_run must be true or false');
  perform core.require(
    release_events.account_id is null or exists (select from supply.accounts a where a.id = release_events.account_id),
    format('there is no account %s', account_id), 'no_data_found', 'ops.accounts lists the accounts.');
  released := array(
    select e.id from supply.events e
    where e.state = 'held'
      and (release_events.account_id is null or e.account_id = release_events.account_id)
      and (before is null or e.created_at < before)
    order by e.id for no key update);
  if dry_run or cardinality(released) = 0 then
    raise notice '%', case
      when dry_run then format('dry run: %s events; to send them add dry_run => false', cardinality(released))
      else 'no such event is held: nothing changed' end;
    return cardinality(released);
  end if;
  update supply.events e set state = 'queued', next_attempt_at = now() where e.id = any (released);
  perform core.enqueue_deliveries(released);
  perform core.log_operator('release_events', coalesce('account ' || account_id, 'all accounts'),
    jsonb_build_object('before', before, 'events', cardinality(released)));
  raise notice '% events are sent now', cardinality(released);
  return cardinality(released);
end
$$;
comment on function ops.release_events is
  'Sends the events held since a restore, of one account or of all (null), created before a time or at any time (null),
and returns how many. A dry run (the default) only counts. A receiver that got an event before the restore knows its
event id.';
