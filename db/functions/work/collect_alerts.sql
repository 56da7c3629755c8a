create or replace function work.collect_alerts()
returns int
language plpgsql security definer set search_path = pg_catalog, pg_temp
as $$
declare
  at_once constant int := 10000;
  locked uuid[];
  opened uuid[];
begin
  if not exists (select from supply.occurrences) or not core.begin_periodic_task('collect_alerts') then
    return 0;
  end if;
  -- An alert that another transaction has locked is left to a later call, so that it delays no other.
  locked := array(
    select a.id from supply.alerts a where a.id = any (array(select distinct o.alert_id from supply.occurrences o))
    order by a.id for no key update skip locked);
  with collected as (
    delete from supply.occurrences o where o.id = any (array(
      select n.id from supply.occurrences n
      where n.alert_id = any (locked) or not exists (select from supply.alerts a where a.id = n.alert_id)
      order by n.id limit at_once for update skip locked))
    returning o.*
  ), summed as (
    select c.alert_id, c.kind, c.subject, c.account_id,
      core.merged_message(c.kind, array_agg(c.message order by c.id)) as message, count(*)::int as count,
      min(c.at) as first_at, max(c.at) as last_at
    from collected c group by c.alert_id, c.kind, c.subject, c.account_id
  ), known as (
    select a.id, a.closed_at from supply.alerts a where a.id = any (locked)
  ), recorded as (
    insert into supply.alerts as a (id, kind, subject, account_id, hour, message, count, first_at, last_at, opened_at)
    select s.alert_id, s.kind, s.subject, s.account_id, date_trunc('hour', s.first_at, 'UTC'), s.message, s.count,
      s.first_at, s.last_at, s.first_at
    from summed s
    on conflict on constraint alerts_pkey do update
      set message = core.merged_message(a.kind, array[a.message, excluded.message]),
        count = a.count + excluded.count, last_at = greatest(a.last_at, excluded.last_at), closed_at = null,
        end_sent_at = null, opened_at = case when a.closed_at is null then a.opened_at else excluded.opened_at end,
        sent_at = case when a.closed_at is null then a.sent_at end
    returning a.id
  )
  select coalesce(array_agg(r.id order by r.id), '{}') into opened
  from recorded r left join known k on k.id = r.id where k.id is null or k.closed_at is not null;
  perform core.enqueue('alert_operators', opened);
  return cardinality(opened);
end
$$;
comment on function work.collect_alerts is
  'Counts what core.raise_alerts recorded in the alert of its kind, subject, account and hour. An alert that is new in
its hour, or was closed, gets a job that alerts the operators. Returns how many did. Call it every second from each
worker; only one runs at a time.';
