create or replace function work.sell_stock(
  item_ids uuid[], sale_tokens uuid[], deadline interval, unsafe_after interval, to_send int, pool_id text
)
returns supply.recorded
language plpgsql security definer set search_path = pg_catalog, pg_temp
as $$
declare
  locked_ids constant uuid[] := array(
    select i.id from supply.order_items i where i.id = any (item_ids) order by i.id for no key update skip locked);
  may_sell constant boolean := core.may_call_suppliers();
  stock record;
  codes supply.stock_codes[];
  used int;
  item supply.order_items;
  busy uuid[] := array(select i from unnest(item_ids) as i where i <> all (locked_ids));
  results supply.call_result[] := '{}';
  result supply.call_result;
  sold_ids uuid[] := '{}';
  sold_to uuid[] := '{}';
  recorded supply.recorded;
begin
  for stock in
    select i.supplier, i.sku, sum(i.amount) as wanted, array_agg(i order by i.order_id, i.position) as items
    from supply.order_items i join supply.suppliers s on s.code = i.supplier
    where i.id = any (locked_ids) and i.completed_at is null and i.held_at is null and i.next_check_at <= now()
      -- guard: the stock sells nothing after a restore or a failover, until an operator said so
      and s.protocol = 'stock' and s.paused_at is null and may_sell
    group by i.supplier, i.sku order by i.supplier, i.sku
  loop
    codes := core.without_delivered_codes(core.take_codes(stock.supplier, stock.sku, stock.wanted));
    used := 0;
    foreach item in array stock.items loop
      result := null;
      result.item_id := item.id;
      result.ordinal := array_position(item_ids, item.id);
      result.supplier := item.supplier;
      result.method := 'stock';
      result.codes := '{}';
      if item.delivery_type <> 'key' then
        result.outcome := 'hold';
        result.error := 'a stock of codes delivers products of the type key only';
      elsif used + item.amount <= cardinality(codes) then
        result.outcome := 'completed';
        result.codes := array(
          select core.shown_code(c.code, c.id)
          from unnest(codes[used + 1:used + item.amount]) with ordinality as c order by c.ordinality);
        sold_ids := sold_ids || array(select c.id from unnest(codes[used + 1:used + item.amount]) as c);
        sold_to := sold_to || array_fill(item.id, array[item.amount]);
        used := used + item.amount;
      elsif core.free_codes(item.supplier, item.sku, used + item.amount) >= used + item.amount then
        -- Others have locked the rest at this moment, and may leave it.
        busy := busy || item.id;
        continue;
      else
        result.outcome := 'failed';
        result.error_code := 'OUT_OF_STOCK';
      end if;
      results := results || result;
    end loop;
  end loop;

  -- A pause that began just now: they wait for its end without a job.
  update supply.order_items i set limited_at = i.next_check_at, limited_rank = 0
  from supply.suppliers s
  where i.id = any (locked_ids) and s.code = i.supplier and s.protocol = 'stock'
    and (s.paused_at is not null or not may_sell)
    and i.completed_at is null and i.next_check_at is not null and i.limited_rank is null;
  recorded := core.finish_calls(results, deadline, unsafe_after, to_send, pool_id);
  perform core.record_sales(results, sale_tokens, sold_ids, sold_to);
  busy := busy || array(
    select r.item_id from unnest(results) as r
    where (
      select i.completed_at is null and i.held_at is null and i.supplier = r.supplier
      from supply.order_items i where i.id = r.item_id));
  perform core.enqueue_busy('call_supplier', busy);
  recorded.answers := recorded.answers || array(
    select row(array_position(item_ids, i), case when i = any (busy) then 'busy' else 'stale' end)::supply.answer
    from unnest(item_ids) as i where i <> all (array(select r.item_id from unnest(results) as r)));
  return recorded;
end
$$;
comment on function work.sell_stock is
  'Sells codes of our own to due items (of work.begin_calls with the method stock; sale_tokens: their lease_token), all
that an item needs or none, those that expire first first, and settles them as work.finish_calls does; an ordinal is the
place in item_ids. busy: has another job. stale: not at a stock, or it is paused. Out of stock: next offer, or failed.';
