create or replace function core.event_id(order_code text)
returns uuid
language plpgsql immutable strict parallel safe set search_path = pg_catalog, pg_temp
as $$
declare
  -- guard: the id of an event is derived from its order
  digest constant bytea := substr(sha256(convert_to('event of order ' || order_code, 'UTF8')), 1, 16);
begin
  return encode(
    set_byte(set_byte(digest, 6, (get_byte(digest, 6) & 15) | 128), 8, (get_byte(digest, 8) & 63) | 128), 'hex')::uuid;
end
$$;
comment on function core.event_id is
  'The id of the event about an order: a UUID (version 8, RFC 9562) made from the order''s code, so that an order that '
  'ends again after a restore has the same event id, and receivers recognise the repeat. Specification 2.4.';
