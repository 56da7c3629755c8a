create or replace function core.event_id(order_code text)
returns uuid
language plpgsql immutable strict parallel safe set search_path = pg_catalog, pg_temp
as $$
declare
  digest constant bytea := substr(sha256(convert_to('event of order ' || order_code, 'UTF8')), 1, 16);
begin
  return encode(
    set_byte(set_byte(digest, 6, (get_byte(digest, 6) & 15) | 128), 8, (get_byte(digest, 8) & 63) | 128), 'hex')::uuid;
end
$$;
comment on function core.event_id is
  'Returns the id of the event of an order: a UUID (version 8, RFC 9562) made from the code of the order. If the order
ends again after a restore, its event has the same id, and receivers recognise the repeat. Specification 2.4.';
