create or replace function work.sell_stock(
  item_ids uuid[], sale_tokens uuid[], deadline interval, unsafe_after interval, to_send int, pool_id text
)
returns supply.recorded
language sql security definer set search_path = pg_catalog, pg_temp
as $$
  select core.sell_codes(item_ids, sale_tokens, deadline, unsafe_after, to_send, pool_id)
$$;
comment on function work.sell_stock is
  'Sells our own codes to items that work.begin_calls returned with the method stock, and their lease_token as the
sale_token (core.sell_codes). The ordinal of an answer is the place in item_ids; all else is as in work.finish_calls.';
