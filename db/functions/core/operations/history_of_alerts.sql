create or replace function core.history_of_alerts(order_id bigint)
returns table (at timestamptz, step supply.order_step, actor text, what text, detail text)
language sql stable set search_path = pg_catalog, pg_temp
as $$
  with occurrences as (
    select a.finished_at as at, case
        when a.verdict = 'held' then 'item_held'::supply.alert_kind
        when a.verdict = 'stuck' then 'item_stuck'
        else 'contradicting_result'
      end as kind, a.supplier as subject, null::bigint as account_id
    from supply.order_items i
    cross join lateral (
      select a.* from supply.supplier_attempts a
      where a.item_id = i.id and a.verdict in ('held', 'stuck', 'late', 'contradicting')) as a
    where i.order_id = history_of_alerts.order_id
    union all
    select a.finished_at, 'dead_letter', null, e.account_id
    from supply.events e
    cross join lateral (
      select a.* from supply.delivery_attempts a
      where a.event_id = e.id and (a.outcome = 'dead' or a.attempt = 9 and a.outcome = 'lost')) as a
    where e.order_id = history_of_alerts.order_id
  ), raised as (
    select o.at, al as alert,
      row_number() over (partition by o.at, o.kind, o.subject order by al.last_at desc) as place
    from occurrences o
    -- An alert counts an hour, and two transactions may record their times in the opposite order.
    join core.alerts al on al.kind = o.kind and al.subject = coalesce(o.subject, al.subject)
      and al.account_id is not distinct from o.account_id
      and o.at between al.first_at - interval '1 minute' and al.last_at + interval '1 minute'
  )
  select r.at, 'alert'::supply.order_step, 'service', 'alert', 'operators are notified of ' || (r.alert).cause
    || case when (r.alert).sent_at is null then ', as soon as a worker is free' else '' end
  from raised r where r.place = 1
  union all
  select distinct (r.alert).acknowledged_at, 'acknowledged'::supply.order_step,
    'operator ' || (r.alert).acknowledged_by, 'acknowledged',
    (r.alert).cause || coalesce(': ' || (r.alert).note, '')
  from raised r where r.at <= (r.alert).acknowledged_at + interval '1 minute'
$$;
comment on function core.history_of_alerts is
  'Returns the steps of an order that are alerts and their acknowledgements.';
