-- Roles: finance
create or replace function ops.close_month(month text)
returns void
language plpgsql security definer set search_path = pg_catalog, pg_temp
as $$
declare
  known record;
  earlier supply.closed_months;
  totals text;
begin
  perform core.require(current_setting('transaction_isolation') = 'read committed',
    'ops.close_month needs a transaction of the isolation level read committed', 'object_not_in_prerequisite_state');
  perform core.require(close_month.month is not null, 'the month is missing, such as ''2026-11''');
  select m.* into known from core.business_month(close_month.month) m;
  perform core.require(known.to_at <= clock_timestamp(), format('month %s is not over: it ends at %s (%s)', known.name,
    known.to_at at time zone known.zone, known.zone), 'object_not_in_prerequisite_state');
  perform core.await_writers();
  insert into supply.closed_months (month, zone, from_at, to_at, figures)
  select known.name, known.zone, known.from_at, known.to_at, array(
    select f from core.month_figures(known.from_at, known.to_at) as f) where not known.closed
  on conflict on constraint closed_months_pkey do nothing;
  if not found then
    select c.* into earlier from supply.closed_months c where c.month = known.name;
    raise notice 'month % is closed already, since %, by %: nothing changed', known.name, earlier.closed_at,
      earlier.closed_by;
    return;
  end if;
  totals := (
    select string_agg(format('%s accounts in %s: sold %s, refunded %s, adjusted %s, cost %s, other %s', t.accounts,
      t.currency, t.sold, t.refunded, t.adjusted, t.cost, t.other), '; ' order by t.currency)
    from (
      select f.currency, count(*) as accounts, sum(f.sold) as sold, sum(f.refunded) as refunded,
        sum(f.adjusted) as adjusted, sum(f.cost) as cost, sum(f.other) as other
      from supply.closed_months c cross join lateral unnest(c.figures) as f where c.month = known.name
      group by f.currency) as t);
  perform core.log_operator('close_month', 'month ' || known.name, jsonb_build_object('zone', known.zone, 'from',
    known.from_at, 'to', known.to_at, 'totals', totals));
  raise notice 'month % (%) is closed, and nothing changes it any more: %', known.name, known.zone,
    coalesce(totals, 'nothing was booked in it');
end
$$;
comment on function ops.close_month is
  'Freezes the figures of ops.month for a month that is over, and its time zone. It waits for transactions that may have
booked in the month. What is booked later belongs to the month in which it is booked; nothing opens a month again. Of
two calls one closes the month, and the other says that nothing changed.';
