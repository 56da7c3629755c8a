create or replace function core.free_places(supplier text)
returns table (places int, next_at timestamptz, wait interval, step interval)
language plpgsql set search_path = pg_catalog, pg_temp
as $$
declare
  -- A call is leased this far ahead, because a worker may take as long to find a job of which it was not notified.
  ahead constant interval := '2 s';
  free_at timestamptz;
begin
  select p.free_at into free_at from supply.supplier_places p
  where p.supplier = free_places.supplier for no key update skip locked;
  if not found then
    return;
  end if;
  -- A statement of its own, so that it sees what the last holder of the lock did.
  return query
  select least(
      c.places - c.under_way,
      case when rate.step is not null then greatest(0, 1 + floor(
        extract(epoch from ahead - next.wait) / extract(epoch from rate.step)))::int end
    ) - c.given,
    here.at + next.wait, next.wait, rate.step
  from core.places c
  join supply.suppliers s on s.code = c.supplier
  left join supply.protocols p on p.name = s.protocol
  cross join lateral (
    select coalesce(p.requests_per_call, 1) / s.per_minute * interval '1 min' as step offset 0) as rate
  cross join lateral (select clock_timestamp() as at offset 0) as here
  cross join lateral (
    -- After a clock was set back, or the limit was raised, the next call is not far away.
    select least(greatest(coalesce(free_at - here.at, '0'), '0'), ahead + rate.step) as wait offset 0) as next
  where c.supplier = free_places.supplier;
end
$$;
comment on function core.free_places is
  'Locks the places of a supplier, and returns how many are free, when and in what time per_minute allows the next call,
and the time between two calls. No row: another transaction gives them at this moment.';
