create or replace view core.call_figures as
with answers as (
  select p.period, c.supplier, c.latency_ms, c.latency_ms > 0 as is_usable, sum(c.calls) as calls,
    sum(c.failures) as failures, sum(c.unknowns) as unknowns
  from core.counted_calls c
  join (values ('5m', interval '5 minutes'), ('1h', interval '1 hour'), ('1d', interval '1 day')) as p (period, length)
    on c.at >= now() - p.length
  group by p.period, c.supplier, c.latency_ms
), ranked as (
  -- part: which part of the answers took as long as these, or less.
  select a.*, sum(a.calls) over (alike order by a.latency_ms) / sum(a.calls) over alike as part
  from answers a window alike as (partition by a.period, a.supplier, a.is_usable)
)
select r.period, r.supplier, sum(r.calls)::int as calls, sum(r.failures)::int as failures,
  sum(r.unknowns)::int as unknowns, min(r.latency_ms) filter (where r.is_usable and r.part >= 0.5) as p50_ms,
  min(r.latency_ms) filter (where r.is_usable and r.part >= 0.95) as p95_ms
from ranked r group by r.period, r.supplier;
comment on view core.call_figures is
  'The calls to each supplier in the last 5m, 1h and 1d: all, those answered by a failure, those without a usable
answer, and within how many milliseconds half and 95 per cent of the answers came.';
