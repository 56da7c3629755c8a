create or replace function work.take_request(supplier text)
returns double precision
language plpgsql security definer set search_path = pg_catalog, pg_temp
as $$
declare
  here constant timestamptz := clock_timestamp();
  due_at timestamptz;
begin
  update supply.supplier_places p set free_at = greatest(p.free_at, here) + interval '1 min' / s.per_minute
  from supply.suppliers s
  where p.supplier = take_request.supplier and s.code = p.supplier and s.per_minute is not null
  returning p.free_at - interval '1 min' / s.per_minute into due_at;
  return coalesce(greatest(0, extract(epoch from due_at - here) * 1000), 0);
end
$$;
comment on function work.take_request is
  'Takes the next place for one HTTP request to a supplier by its per_minute, over all workers. Returns in how many ms
the request may be made; 0: there is no limit.';
