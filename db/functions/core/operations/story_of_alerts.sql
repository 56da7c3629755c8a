create or replace function core.story_of_alerts(order_id bigint)
returns table (at timestamptz, place int, actor text, what text, detail text)
language sql stable set search_path = pg_catalog, pg_temp
as $$
  with occurrences as (
    select a.finished_at as at, array[case
        when a.verdict = 'held' then 'item_held:'
        when a.verdict = 'stuck' then 'item_stuck:'
        else 'contradicting_result:'
      end || a.supplier] as causes
    from supply.order_items i
    cross join lateral (
      select a.* from supply.supplier_attempts a
      where a.item_id = i.id and a.verdict in ('held', 'stuck', 'late', 'contradicting')) as a
    where i.order_id = story_of_alerts.order_id
    union all
    select a.finished_at, array(
      select format('dead_letter:%s:account %s', reason, e.account_id)
      from unnest(array['attempts_exhausted', 'http_4xx', 'http_3xx', 'invalid_url', 'blocked_address']) as reason)
    from supply.events e
    cross join lateral (
      select a.* from supply.delivery_attempts a
      where a.event_id = e.id and (a.outcome = 'dead' or a.attempt = 9 and a.outcome = 'lost')) as a
    where e.order_id = story_of_alerts.order_id
  )
  select o.at, 11, 'service', 'alert', 'operators are notified of ' || alert.cause || case when alert.sent_at is null
    then ', as soon as a worker is free' else '' end
  from occurrences o
  cross join lateral (
    select a.* from supply.alerts a
    -- An alert stands for an hour, and two transactions may record their times in the opposite order.
    where a.cause = any (o.causes) and o.at between a.first_at - interval '1 minute' and a.last_at + interval '1 minute'
    order by a.last_at desc limit 1) as alert
  union all
  select a.acknowledged_at, 11, 'operator ' || a.acknowledged_by, 'acknowledged', a.cause
    || coalesce(': ' || a.note, '')
  from (
    select distinct alert.* from occurrences o
    cross join lateral (
      select a.* from supply.alerts a
      where a.cause = any (o.causes) and o.at between a.first_at - interval '1 minute'
        and a.acknowledged_at + interval '1 minute'
        and o.at <= a.last_at + interval '1 minute') as alert
  ) as a
$$;
comment on function core.story_of_alerts is
  'Returns the alerts of an order''s story (ops.order_story) that its items and its event raised, and who acknowledged
them.';
