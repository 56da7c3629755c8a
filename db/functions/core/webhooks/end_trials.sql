create or replace function core.end_trials()
returns void
language plpgsql set search_path = pg_catalog, pg_temp
as $$
declare
  at_once constant int := 1000;
  trial supply.delivery_trials;
  ids uuid[];
  -- ops.deliver_all may begin one of these again.
  open constant tid[] := array(
    select t.ctid from supply.delivery_trials t where t.released_to is null for update skip locked);
begin
  update supply.delivery_trials t set released_to = '00000000-0000-0000-0000-000000000000'
  where t.ctid = any (open) and exists (
    select from supply.events e where e.id = t.event_id and e.round = t.round and e.state = 'delivered');
  delete from supply.delivery_trials t
  where t.ctid = any (open) and t.released_to is null and exists (
    select from supply.events e
    where e.id = t.event_id and (e.round <> t.round or e.state in ('dead', 'held')
      or e.attempts > t.attempts and e.state <> 'sending'));
  for trial in select t.* from supply.delivery_trials t where t.released_to is not null for update skip locked loop
    ids := array(
      select e.id from supply.events e
      where e.account_id = trial.account_id and e.state = 'waiting' and e.id > trial.released_to
        and e.host = trial.host
      order by e.id limit at_once);
    perform core.queue_waiting(ids);
    if cardinality(ids) < at_once then
      delete from supply.delivery_trials t where t.account_id = trial.account_id and t.host = trial.host;
    else
      update supply.delivery_trials t set released_to = ids[at_once]
      where t.account_id = trial.account_id and t.host = trial.host;
    end if;
  end loop;
end
$$;
comment on function core.end_trials is
  'Ends the trials that ops.deliver_all began: once a host accepted its event, the next attempts of the account''s other
events of that host are due, 1,000 with each call. After another end they keep their times.';
