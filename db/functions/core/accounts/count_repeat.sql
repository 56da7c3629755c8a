create or replace function core.count_repeat(attempt_id bigint)
returns boolean
language plpgsql set search_path = pg_catalog, pg_temp
as $$
declare
  pushing_supplier text;
  in_window int;
begin
  update supply.supplier_attempts a set repeats = a.repeats + 1 where a.id = attempt_id
  returning a.supplier into strict pushing_supplier;
  insert into supply.push_windows as w (supplier, started_at, repeats) values (pushing_supplier, now(), 1)
  on conflict on constraint push_windows_pkey do update set
    started_at = case when w.started_at <= now() - interval '60 s' then excluded.started_at else w.started_at end,
    repeats = case when w.started_at <= now() - interval '60 s' then excluded.repeats else w.repeats + 1 end
  returning w.repeats into in_window;
  return in_window <= 60;
end
$$;
comment on function core.count_repeat is
  'Counts a repeated push of a recorded result, on its record and in its supplier''s window of 60 s. Returns whether it
is among the first 60 in the window.';
