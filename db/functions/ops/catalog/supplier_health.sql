create or replace view ops.supplier_health as
with ranked as (
  -- part: which part of the answers took as long as these, or less.
  select p.period, c.supplier, c.latency_ms, sum(c.calls) as calls, sum(c.failures) as failures,
    sum(c.unknowns) as unknowns,
    sum(sum(c.calls)) over (alike order by c.latency_ms) / sum(sum(c.calls)) over alike as part
  from core.counted_calls c
  join (values ('5m', interval '5 minutes'), ('1h', interval '1 hour'), ('1d', interval '1 day')) as p (period, length)
    on c.at >= now() - p.length
  group by p.period, c.supplier, c.latency_ms
  window alike as (partition by p.period, c.supplier, c.latency_ms > 0)
), figures as materialized (
  select r.period, r.supplier, sum(r.calls)::int as calls, sum(r.failures)::int as failures,
    sum(r.unknowns)::int as unknowns, min(r.latency_ms) filter (where r.latency_ms > 0 and r.part >= 0.5) as p50_ms,
    min(r.latency_ms) filter (where r.latency_ms > 0 and r.part >= 0.95) as p95_ms
  from ranked r group by r.period, r.supplier
)
select s.supplier,
  coalesce(m.calls, 0) as calls_5m, coalesce(m.failures, 0) as failures_5m, coalesce(m.unknowns, 0) as unknowns_5m,
  m.p50_ms, m.p95_ms, coalesce(i.open_items, 0) as open_items, i.oldest_open, s.last_good_at,
  case
    when su.paused_at is not null then 'paused'
    when s.is_silent then 'silent'
    when su.open_since is not null then 'circuit_open'
    when s.unanswered_since is not null and i.open_items > 0 then 'failing'
    when m.calls > 0 then 'answering'
    else 'idle'
  end as state,
  s.unanswered_since,
  coalesce(h.calls, 0) as calls_1h, coalesce(h.failures, 0) as failures_1h, coalesce(h.unknowns, 0) as unknowns_1h,
  h.p50_ms as p50_ms_1h, h.p95_ms as p95_ms_1h,
  coalesce(d.calls, 0) as calls_1d, coalesce(d.failures, 0) as failures_1d, coalesce(d.unknowns, 0) as unknowns_1d,
  d.p50_ms as p50_ms_1d, d.p95_ms as p95_ms_1d,
  su.active
from core.supplier_silence s
join supply.suppliers su on su.code = s.supplier
left join figures m on m.supplier = s.supplier and m.period = '5m'
left join figures h on h.supplier = s.supplier and h.period = '1h'
left join figures d on d.supplier = s.supplier and d.period = '1d'
left join (
  select i.supplier, count(*)::int as open_items, min(i.sent_at) as oldest_open
  from supply.order_items i where i.completed_at is null group by i.supplier
) as i on i.supplier = s.supplier
order by s.supplier;
comment on view ops.supplier_health is
  'The suppliers'' answers over 5 minutes, an hour and a day. Calls older than ten minutes are counts by five minutes,
with latencies within 10 per cent. Pushed results are not calls.';
comment on column ops.supplier_health.supplier is 'The supplier.';
comment on column ops.supplier_health.calls_5m is 'The calls of the last 5 minutes: items that were sent or polled.';
comment on column ops.supplier_health.failures_5m is 'The calls of these that the supplier answered with a failure.';
comment on column ops.supplier_health.unknowns_5m is
  'The calls of these without a usable answer: a time-out, a lost connection, a 5xx, an answer that makes no sense.';
comment on column ops.supplier_health.p50_ms is
  'Half of the answers of the last 5 minutes took at most this long; null: there was none.';
comment on column ops.supplier_health.p95_ms is
  '95 per cent of the answers of the last 5 minutes took at most this long.';
comment on column ops.supplier_health.open_items is 'The number of its items that are not final.';
comment on column ops.supplier_health.oldest_open is 'When the oldest of these items was sent; null: none was sent.';
comment on column ops.supplier_health.state is
  'paused: by an operator. silent: no usable answer for SUPPLIER_SILENT_MINUTES while it has items; operators are
alerted. circuit_open: its last calls failed, and new items use others. failing: no usable answer since
unanswered_since. answering. idle: not called in the last 5 minutes.';
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
