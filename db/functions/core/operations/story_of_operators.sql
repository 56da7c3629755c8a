create or replace function core.story_of_operators(order_id bigint)
returns table (at timestamptz, place int, actor text, what text, detail text)
language plpgsql stable set search_path = pg_catalog, pg_temp
as $$
declare
  event supply.events := (select e from supply.events e where e.order_id = story_of_operators.order_id);
begin
  return query
  with acts as (
    select l.*, s.label
    from core.story_items s
    join supply.operator_log l on l.subject = 'item ' || s.id
    where s.order_id = story_of_operators.order_id
    union all
    select l.*, 'the event' from supply.operator_log l where l.subject = 'event ' || event.id
    union all
    -- Each round after the first began by a redelivery of this event, which the partner may have asked for, or of all
    -- dead letters of the account.
    select l.*, 'the event'
    from (
      select a.round, max(a.finished_at) as dead_at from supply.delivery_attempts a
      where a.event_id = event.id and (a.round < event.round or event.state = 'dead') group by a.round) as died
    cross join lateral (
      select l.* from supply.operator_log l
      where l.subject = 'account ' || event.account_id and l.action = 'redeliver_all' and l.at >= died.dead_at
        and (l.detail ->> 'since')::timestamptz <= died.dead_at
        and l.at <= coalesce((
          select min(n.started_at) from supply.delivery_attempts n where n.event_id = event.id
            and n.round = died.round + 1), 'infinity')
      order by l.at limit 1) as l
    where not exists (
      select from supply.operator_log own
      where own.subject = 'event ' || event.id and own.action = 'redeliver' and own.at between died.dead_at and l.at)
      and not exists (
        select from supply.redelivery_requests r where r.event_id = event.id and r.round = died.round + 1)
  )
  select l.at, 2, 'operator ' || l.who,
    case l.action
      when 'settle_item' then 'settled by hand' when 'poll_now' then 'asks again' when 'deliver_now'
        then 'sends at once'
      when 'redeliver' then 'redelivers' when 'redeliver_all' then 'redelivers' else replace(l.action, '_', ' ')
    end,
    case l.action
      when 'settle_item' then format('%s as %s, %s of %s delivered%s', l.label, l.detail ->> 'outcome',
        l.detail ->> 'delivered',
        l.detail ->> 'amount', coalesce(': ' || (l.detail ->> 'reason'), ''))
      when 'poll_now' then format('%s is asked about %s at once', l.detail ->> 'supplier', l.label)
      when 'deliver_now' then 'the next attempt does not wait any longer'
      when 'redeliver' then 'the event starts a new round of nine attempts'
      when 'redeliver_all' then format('all dead letters of account %s since %s start a new round: %s',
        event.account_id, l.detail ->> 'since', l.detail ->> 'events')
      else l.label || coalesce((
        select ': ' || string_agg(d.key || ' ' || d.value, ', ' order by d.key) from jsonb_each_text(l.detail) d
          where d.value is not null), '')
    end
  from acts l
  -- The story shows this from the ledger.
  where l.action <> 'refund_item';
end
$$;
comment on function core.story_of_operators is
  'Returns the operators'' actions on items and the event in an order''s story.';
