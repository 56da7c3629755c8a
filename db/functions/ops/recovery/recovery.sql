create or replace view ops.recovery as
select r.note, r.began_at, r.ended_at, case when r.ended_at is null then items.to_ask else 0 end as items_to_ask,
  case when r.ended_at is null then events.held else 0 end as events_held,
  case when r.ended_at is null then events.accounts else 0 end as accounts_held
from supply.recoveries r
cross join lateral (
  select count(*) as to_ask from core.items_to_ask i
) as items
cross join lateral (
  select count(*) as held, count(distinct e.account_id) as accounts from supply.events e where e.state = 'held'
) as events
order by r.id desc;
comment on view ops.recovery is
  'The recoveries after restores, the latest first, and what the open one still waits for.';
comment on column ops.recovery.items_to_ask is 'The number of items about which the supplier has not answered yet.';
comment on column ops.recovery.events_held is 'The number of events that wait for ops.release_events.';
comment on column ops.recovery.accounts_held is 'The number of accounts with such events.';
