create or replace function core.event_id(order_code text)
returns uuid
language plpgsql immutable strict parallel safe set search_path = pg_catalog, pg_temp
as $$
begin
  return core.named_uuid('event of order ' || order_code);
end
$$;
comment on function core.event_id is
  'Returns the id of the event of an order, made from the code of the order (core.named_uuid). If the order ends again
after a restore, its event has the same id, and receivers recognise the repeat. Specification 2.4.';
