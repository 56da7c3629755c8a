create or replace function core.refer_to_event(reference text)
returns uuid
language plpgsql stable set search_path = pg_catalog, pg_temp
as $$
declare
  wanted_id constant uuid := core.uuid_of(btrim(reference));
  named record;
begin
  select coalesce(array_agg(e.id::text order by e.id), '{}') as ids,
    array_agg(format('%s (order %s, %s, %s)', e.id, e.order_code, e.event_type, e.state) order by e.id) as choices
  into named
  from supply.events e
  where e.order_id in (select f.order_id from core.find_orders(reference) f)
    or e.id = wanted_id;
  return core.the_one('event', reference, named.ids, named.choices);
end
$$;
comment on function core.refer_to_event is
  'Returns the one event that a reference means: its id, also of a sample, or any reference (core.find_orders) of its
order. Raises as core.the_one.';
