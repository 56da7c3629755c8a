create or replace view core.counted_calls as
select c.began_at + interval '5 minutes' as at, c.supplier, c.latency_ms, c.calls, c.failures, c.unknowns,
  true as is_counted
from supply.supplier_call_counts c where c.began_at >= now() - interval '1 day'
union all
select a.started_at, a.supplier,
  case when a.finished_at is null or a.verdict = 'stale' or a.outcome in ('unknown', 'not_placed') then 0
    else greatest(1, round(date_part('epoch', a.finished_at - a.started_at) * 1000)::int) end,
  1, (a.outcome is not distinct from 'failed' and a.verdict is distinct from 'stale')::int,
  (a.finished_at is not null and a.outcome in ('unknown', 'not_placed') and a.verdict is distinct from 'stale')::int,
  false
from supply.supplier_attempts a
-- With two bounds the planner takes few rows for likely, and the index.
where a.started_at >= (select u.at from core.counted_until u) and a.started_at < now() and a.method in ('put', 'get')
  -- A call that came too late to be made is none.
  and a.cause is distinct from 'late';
comment on view core.counted_calls is
  'The calls to suppliers of the last day: counted by five minutes, and the latest one by one.';
comment on column core.counted_calls.at is 'When the calls began, or the end of their five minutes.';
comment on column core.counted_calls.latency_ms is
  'How long the answers took, in milliseconds; 0: there is no usable answer.';
comment on column core.counted_calls.is_counted is 'Whether it is a count, and not a single call.';
