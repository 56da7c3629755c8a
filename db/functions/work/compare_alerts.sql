create or replace function work.compare_alerts()
returns int
language plpgsql security definer set search_path = pg_catalog, pg_temp
as $$
declare
  closed uuid[];
begin
  if not core.begin_periodic_task('compare_alerts') then
    return 0;
  end if;
  -- The others are raised where they happen.
  perform core.raise_alerts(array(
    select row(p.kind, p.subject, p.account_id, p.detail)::supply.occurrence
    from core.problems p
    where p.kind in (
        'low_balance', 'supplier_balance_low', 'stock_low', 'old_snapshot', 'slot_behind', 'jobs_growing',
        'notify_queue')
      and not exists (
        select from core.alerts a
        where (a.kind, a.subject) = (p.kind, p.subject) and a.account_id is not distinct from p.account_id
          and a.closed_at is null)));
  with causes as materialized (
    select distinct a.kind, a.subject, a.account_id from supply.alerts a where a.closed_at is null
  ), standing as materialized (
    select c.*, exists (
      select from core.problems p
      where p.kind = c.kind and coalesce(p.subject = c.subject, true) and coalesce(p.account_id = c.account_id, true)
    ) as stands from causes c
  )
  select coalesce(array_agg(a.id), '{}') into closed
  from core.alerts a join standing s on (s.kind, s.subject) = (a.kind, a.subject)
    and s.account_id is not distinct from a.account_id
  where a.closed_at is null and a.is_counted and case
    -- No table shows these.
    when a.kind in ('contradicting_result', 'sold_twice', 'supplier_price', 'supplier_balance_fell', 'unreadable',
      'clock_went_back', 'codes_refused', 'closed_account') then a.is_acknowledged
    else not s.stands end;
  if cardinality(closed) = 0 then
    return 0;
  end if;

  -- One that happened again since then has another count, or is locked by work.collect_alerts.
  closed := array(
    select a.id from supply.alerts a
    where a.id = any (closed) and a.closed_at is null
      and not exists (select from supply.occurrences o where o.alert_id = a.id)
    order by a.id for no key update skip locked);
  update supply.alerts a set closed_at = now() where a.id = any (closed);
  update supply.alerts a set end_sent_at = now()
  where a.id = any (closed) and exists (
    select from supply.alerts o
    where (o.kind, o.subject) = (a.kind, a.subject) and o.account_id is not distinct from a.account_id
      and (o.closed_at is null or o.id = any (closed) and o.hour > a.hour));
  -- An alert that was not sent yet has its job, which sends the end too.
  perform core.enqueue('alert_operators', array(
    select a.id from supply.alerts a where a.id = any (closed) and a.end_sent_at is null and a.sent_at is not null
      order by a.id));
  return cardinality(closed);
end
$$;
comment on function work.compare_alerts is
  'Raises alerts of problems that no other function raises, closes those whose cause is gone, and those acknowledged
where no table shows that. Returns how many it closed. An end is sent with the alert of its last hour. Call it every
5 s from each worker; only one runs at a time.';
