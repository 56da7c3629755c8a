create or replace function work.check_suppliers(silent_minutes int)
returns int
language plpgsql security definer set search_path = pg_catalog, pg_temp
as $$
declare
  from_at timestamptz;
  until_at timestamptz;
  silent supply.occurrence[];
begin
  if not core.begin_periodic_task('check_suppliers') then
    return 0;
  end if;
  insert into supply.supplier_states (supplier, silent_after)
  select s.code, make_interval(mins => silent_minutes) from supply.suppliers s
  where not exists (select from supply.supplier_states st where st.supplier = s.code)
  order by s.code for no key update of s skip locked
  on conflict do nothing;
  update supply.supplier_states st set
    last_good_at = s.last_good_at, unanswered_since = s.unanswered_since,
    silent_after = make_interval(mins => silent_minutes)
  from core.supplier_silence s
  where st.supplier = s.supplier
    and st.supplier = any (array(select o.supplier from supply.supplier_states o for no key update skip locked))
    and (st.last_good_at, st.unanswered_since, st.silent_after)
      is distinct from (s.last_good_at, s.unanswered_since, make_interval(mins => silent_minutes));

  -- A call ends within a minute: what is older does not change any more. A whole day is counted in parts.
  select date_bin('5 minutes', min(a.started_at), '2000-01-01T00:00:00Z') into from_at
  from supply.supplier_attempts a
  where a.started_at >= (select u.at from core.counted_until u) and a.started_at < now() and a.method in ('put', 'get');
  until_at := least(from_at + interval '2 hours',
    date_bin('5 minutes', now() - interval '1 minute', '2000-01-01T00:00:00Z') - interval '5 minutes');
  insert into supply.supplier_call_counts (began_at, supplier, latency_ms, calls, failures, unknowns)
  select date_bin('5 minutes', c.at, '2000-01-01T00:00:00Z'), c.supplier,
    -- Five steps for each factor of e.
    case when c.latency_ms > 0
      then greatest(1, round(exp(round(ln(c.latency_ms::double precision) * 5) / 5))::int) else 0 end as latency_ms,
    sum(c.calls), sum(c.failures), sum(c.unknowns)
  from core.counted_calls c
  where not c.is_counted and c.at >= from_at and c.at < until_at
  group by 1, 2, 3;
  delete from supply.supplier_call_counts c where c.began_at < now() - interval '1 day';

  select coalesce(array_agg(row('supplier_silent', s.supplier, null,
    format('supplier %s has given no usable answer since %s%s', s.supplier,
      to_char(s.unanswered_since at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"'),
      coalesce(': ' || last.error, '')))::supply.occurrence), '{}')
  into silent
  from core.supplier_silence s
  cross join lateral (
    select (
      select coalesce(a.error, 'HTTP status ' || a.status_code) from supply.supplier_attempts a
      where a.started_at >= s.unanswered_since - interval '1 minute' and a.started_at < now()
        and a.supplier = s.supplier and a.outcome in ('unknown', 'not_placed') and a.method in ('put', 'get')
      order by a.started_at desc limit 1) as error
  ) as last
  where s.is_silent and not exists (
    select from core.alerts al
    where al.kind = 'supplier_silent' and al.subject = s.supplier and al.closed_at is null);
  perform core.raise_alerts(silent);
  return cardinality(silent);
end
$$;
comment on function work.check_suppliers is
  'Counts the calls to suppliers that ended, for ops.supplier_health. Alerts operators once of each supplier with
items that gave no usable answer for silent_minutes, and returns how many. Call it every 30 s from each worker; only
one runs at a time.';
