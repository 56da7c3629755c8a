create or replace view ops.supplier_health as
with latencies as (
  select c.supplier, c.latency_ms,
    sum(c.calls) filter (where c.at >= now() - interval '5 minutes') as calls_5m,
    sum(c.failures) filter (where c.at >= now() - interval '5 minutes') as failures_5m,
    sum(c.unknowns) filter (where c.at >= now() - interval '5 minutes') as unknowns_5m,
    sum(c.calls) filter (where c.at >= now() - interval '1 hour') as calls_1h,
    sum(c.failures) filter (where c.at >= now() - interval '1 hour') as failures_1h,
    sum(c.unknowns) filter (where c.at >= now() - interval '1 hour') as unknowns_1h,
    sum(c.calls) as calls_1d, sum(c.failures) as failures_1d, sum(c.unknowns) as unknowns_1d
  from core.counted_calls c
  group by c.supplier, c.latency_ms
), ranked as (
  -- Which part of the answers was as quick as this, or quicker.
  select l.*,
    sum(l.calls_5m) over quicker / sum(l.calls_5m) over alike as part_5m,
    sum(l.calls_1h) over quicker / sum(l.calls_1h) over alike as part_1h,
    sum(l.calls_1d) over quicker / sum(l.calls_1d) over alike as part_1d
  from latencies l
  window quicker as (partition by l.supplier, l.latency_ms > 0 order by l.latency_ms),
    alike as (partition by l.supplier, l.latency_ms > 0)
), figures as (
  select r.supplier,
    sum(r.calls_5m)::int as calls_5m, sum(r.failures_5m)::int as failures_5m, sum(r.unknowns_5m)::int as unknowns_5m,
    sum(r.calls_1h)::int as calls_1h, sum(r.failures_1h)::int as failures_1h, sum(r.unknowns_1h)::int as unknowns_1h,
    sum(r.calls_1d)::int as calls_1d, sum(r.failures_1d)::int as failures_1d, sum(r.unknowns_1d)::int as unknowns_1d,
    min(r.latency_ms) filter (where r.latency_ms > 0 and r.part_5m >= 0.5) as p50_5m,
    min(r.latency_ms) filter (where r.latency_ms > 0 and r.part_5m >= 0.95) as p95_5m,
    min(r.latency_ms) filter (where r.latency_ms > 0 and r.part_1h >= 0.5) as p50_1h,
    min(r.latency_ms) filter (where r.latency_ms > 0 and r.part_1h >= 0.95) as p95_1h,
    min(r.latency_ms) filter (where r.latency_ms > 0 and r.part_1d >= 0.5) as p50_1d,
    min(r.latency_ms) filter (where r.latency_ms > 0 and r.part_1d >= 0.95) as p95_1d
  from ranked r
  group by r.supplier
), items as (
  select i.supplier, count(*)::int as open_items, min(i.sent_at) as oldest_open
  from supply.order_items i where i.completed_at is null
  group by i.supplier
)
select s.supplier, coalesce(f.calls_5m, 0) as calls_5m, coalesce(f.failures_5m, 0) as failures_5m,
  coalesce(f.unknowns_5m, 0) as unknowns_5m,
  f.p50_5m as p50_ms, f.p95_5m as p95_ms, coalesce(i.open_items, 0) as open_items, i.oldest_open, s.last_good_at,
  case
    when chosen.is_paused then 'paused'
    when s.is_silent then 'silent'
    when chosen.is_open then 'circuit_open'
    when s.unanswered_since is not null and i.open_items > 0 then 'failing'
    when f.calls_5m > 0 then 'answering'
    else 'idle'
  end as state,
  s.unanswered_since,
  coalesce(f.calls_1h, 0) as calls_1h, coalesce(f.failures_1h, 0) as failures_1h,
    coalesce(f.unknowns_1h, 0) as unknowns_1h,
  f.p50_1h as p50_ms_1h, f.p95_1h as p95_ms_1h,
  coalesce(f.calls_1d, 0) as calls_1d, coalesce(f.failures_1d, 0) as failures_1d,
    coalesce(f.unknowns_1d, 0) as unknowns_1d,
  f.p50_1d as p50_ms_1d, f.p95_1d as p95_ms_1d,
  chosen.active
from core.supplier_silence s
left join figures f on f.supplier = s.supplier
left join items i on i.supplier = s.supplier
left join lateral (
  select su.active, su.paused_at is not null as is_paused, su.open_since is not null as is_open
  from supply.suppliers su where su.code = s.supplier
) as chosen on true
order by s.supplier;
comment on view ops.supplier_health is
  'How the suppliers answer: over 5 minutes, an hour and a day. Earlier calls than the last ten minutes are counted,
those of the day by hours, and their latencies are within 10 per cent. Results that a supplier pushes are no calls.';
comment on column ops.supplier_health.supplier is 'The supplier.';
comment on column ops.supplier_health.calls_5m is
  'The calls of the last 5 minutes: items that were sent, or asked for.';
comment on column ops.supplier_health.failures_5m is 'Those of them that the supplier answered by a failure.';
comment on column ops.supplier_health.unknowns_5m is
  'Those of them without a usable answer: a time-out, a lost connection, a 5xx, an answer that makes no sense.';
comment on column ops.supplier_health.p50_ms is
  'Within so many milliseconds half of the answers of the last 5 minutes came; null: none did.';
comment on column ops.supplier_health.p95_ms is 'Within so many milliseconds 95 per cent of them came.';
comment on column ops.supplier_health.open_items is 'How many items it has that are not final.';
comment on column ops.supplier_health.oldest_open is 'When the oldest of these was sent there; null: none was sent.';
comment on column ops.supplier_health.last_good_at is
  'When a call was last answered by processing, completed or failed; null: none is known.';
comment on column ops.supplier_health.state is
  'paused: by an operator. silent: no usable answer for SUPPLIER_SILENT_MINUTES while it has items; operators are
alerted. circuit_open: none to the last calls, so that new items go to others. failing: none since unanswered_since.
answering. idle: it was not called in the last 5 minutes.';
comment on column ops.supplier_health.unanswered_since is
  'When a call first ended without a usable answer, since the last good one; null: none did.';
comment on column ops.supplier_health.calls_1h is 'As calls_5m, of the last hour.';
comment on column ops.supplier_health.failures_1h is 'As failures_5m, of the last hour.';
comment on column ops.supplier_health.unknowns_1h is 'As unknowns_5m, of the last hour.';
comment on column ops.supplier_health.p50_ms_1h is 'As p50_ms, of the last hour.';
comment on column ops.supplier_health.p95_ms_1h is 'As p95_ms, of the last hour.';
comment on column ops.supplier_health.calls_1d is 'As calls_5m, of the last day.';
comment on column ops.supplier_health.failures_1d is 'As failures_5m, of the last day.';
comment on column ops.supplier_health.unknowns_1d is 'As unknowns_5m, of the last day.';
comment on column ops.supplier_health.p50_ms_1d is 'As p50_ms, of the last day.';
comment on column ops.supplier_health.p95_ms_1d is 'As p95_ms, of the last day.';
comment on column ops.supplier_health.active is 'Whether it gets new items.';
