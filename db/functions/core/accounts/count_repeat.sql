create or replace function core.count_repeat(attempt_id bigint)
returns boolean
language plpgsql set search_path = pg_catalog, pg_temp
as $$
declare
  pushing_supplier text;
begin
  update supply.supplier_attempts a set repeats = a.repeats + 1 where a.id = attempt_id
  returning a.supplier into strict pushing_supplier;
  return (select c.hits > c.hits_before from core.count_hits('pushes', array[pushing_supplier], '{1}', '{60}') c);
end
$$;
comment on function core.count_repeat is
  'Counts a repeated push of a recorded result, on its record and in its supplier''s window of 60 s. Returns whether it
is among the first 60 in the window.';
