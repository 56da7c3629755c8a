create or replace function work.sell_stock(
  item_ids uuid[], sale_tokens uuid[], deadline interval, unsafe_after interval, to_send int, pool_id text
)
returns table (
  ordinal int, verdict supply.call_verdict, ended_outcome text, ended_seconds double precision,
  event_id uuid, lease_token uuid, callback_url text, event_type text, body text, secret text, attempt int,
  request_id text, request_id_given boolean, traceparent text, account_id bigint
)
language sql security definer set search_path = pg_catalog, pg_temp
as $$
  select s.ordinal, s.verdict, s.ended_outcome, s.ended_seconds, (s.attempt).*
  from core.sell_codes(item_ids, sale_tokens, deadline, unsafe_after, to_send, pool_id) s
$$;
comment on function work.sell_stock is
  'Sells our own codes to items that work.begin_calls returned with the method stock, and their lease_token as the
sale_token (core.sell_codes). Returns a row for each, by its place in item_ids, and other rows as work.finish_calls.
nullable: all';
