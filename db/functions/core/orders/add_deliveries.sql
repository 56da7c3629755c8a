create or replace function core.add_deliveries(rendered json, deliveries json)
returns json
language sql immutable parallel safe
return (left(rendered::text, -1) || ', "deliveries" : ' || coalesce(deliveries::text, 'null') || '}')::json;
comment on function core.add_deliveries is
  'Returns the rendered order with deliveries (core.event_deliveries) as its last member; null of a null order.';
