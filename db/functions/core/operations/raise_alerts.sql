create or replace function core.raise_alerts(causes text[], messages text[])
returns void
language plpgsql set search_path = pg_catalog, pg_temp
as $$
declare
  new_alerts uuid[];
begin
  if cardinality(causes) = 0 then
    return;
  end if;
  with occurrences as (
    select causes[i] as cause, min(messages[i]) as message, count(*)::int as times
    from generate_subscripts(causes, 1) as i
    group by causes[i]
    order by causes[i]
  ), recorded as (
    insert into supply.alerts as a (cause, hour, message, count)
    select o.cause, date_trunc('hour', now()), o.message, o.times from occurrences o order by o.cause
    on conflict on constraint alerts_cause_hour_key do update
      set count = a.count + excluded.count, last_at = now(), closed_at = null, end_sent_at = null,
        opened_at = case when a.closed_at is null then a.opened_at else now() end,
        sent_at = case when a.closed_at is null then a.sent_at end
    returning a.id, a.opened_at
  )
  select coalesce(array_agg(r.id) filter (where r.opened_at = now()), '{}') into new_alerts from recorded r;
  perform core.enqueue('alert_operators', new_alerts);
end
$$;
comment on function core.raise_alerts is
  'Counts each cause in its row of the hour; a cause that is new in the hour, or whose alert was closed, gets a job
that alerts the operators. Call it last in a transaction: its row locks are taken in the order of causes. What tells
that a cause is gone is core.cause_stands.';
