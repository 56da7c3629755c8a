create or replace function core.raise_alerts(occurrences supply.occurrence[])
returns void
language plpgsql set search_path = pg_catalog, pg_temp
as $$
declare
  new_alerts uuid[];
begin
  if cardinality(occurrences) = 0 then
    return;
  end if;
  with recorded as (
    insert into supply.alerts as a (cause, hour, message, count)
    select o.cause, date_trunc('hour', now()), min(o.message), count(*)
    from unnest(occurrences) as o group by o.cause order by o.cause
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
  'Counts each cause in its row of the hour. A cause that is new in the hour, or whose alert was closed, gets a job that
alerts the operators. Call it last in a transaction: it locks its rows in the order of the causes. core.cause_stands
says when a cause is gone.';
