create or replace view core.spending as
select l.account_id, l.key_id, l.per, l.amount, case when l.key_id is null then 'account' else 'key' end as scope,
  time.starts_at,
  time.starts_at + case l.per when 'hour' then interval '1 hour' else interval '24 hours' end as resets_at,
  case when l.window_start = time.starts_at then l.spent else coalesce((
    select sum(o.total_amount) from supply.orders o
    where o.account_id = l.account_id and o.created_at >= time.starts_at
      and (l.key_id is null or l.key_id = (
        select coalesce(k.first_key_id, k.id) from supply.api_keys k where k.id = o.key_id))
  ), 0) end as spent
from supply.spending_limits l
cross join lateral (select date_trunc(l.per, statement_timestamp(), 'UTC') as starts_at offset 0) as time;
comment on view core.spending is
  'The spending limits with their present hour or day and what was spent in it. Orders are dated by the same time.';
