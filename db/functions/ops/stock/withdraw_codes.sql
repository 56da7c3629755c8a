-- Roles: trade
create or replace function ops.withdraw_codes(batch text, reason text)
returns int
language plpgsql security definer set search_path = pg_catalog, pg_temp
as $$
declare
  batch_ids constant bigint[] := array(select b.id from supply.stock_batches b where b.name = core.trim_blanks(batch));
  taken int;
  before jsonb;
  orders text[];
begin
  perform core.require(batch_ids <> '{}', format('there is no batch %L', left(batch, 100)), 'no_data_found',
    'ops.stock_batches lists the batches.');
  perform core.require(not core.is_blank(reason) and length(reason) <= 500, 'reason must have 1 to 500 characters');
  -- Sales leave these codes out from here on; one under way ends first.
  perform 1 from supply.stock_codes c
  where c.batch_id = any (batch_ids) and c.state in ('free', 'unsealed', 'duplicate') order by c.id for update;
  before := (
    select jsonb_object_agg(k.state, k.codes) from (
      select case when c.state = 'free' and c.sell_before <= now() then 'expired' else c.state end as state,
        count(*) as codes
      from supply.stock_codes c where c.batch_id = any (batch_ids) group by 1) as k);
  update supply.stock_codes c set state = 'withdrawn'
  where c.batch_id = any (batch_ids) and c.state in ('free', 'unsealed', 'duplicate');
  get diagnostics taken = row_count;
  orders := array(
    select distinct o.code from supply.stock_codes c
    join supply.order_items i on i.id = c.item_id join supply.orders o on o.id = i.order_id
    where c.batch_id = any (batch_ids) order by o.code);
  if taken > 0 then
    perform core.log_operator('withdraw_codes', 'batch ' || core.trim_blanks(batch),
      jsonb_build_object('reason', reason, 'withdrawn', taken, 'before', before, 'orders', cardinality(orders)));
  end if;
  raise notice '% (before: %). % orders have others of it%', case
      when taken > 0 then format('%s codes of batch %s are withdrawn: they are not sold any more',
        taken, core.trim_blanks(batch))
      else format('batch %s has no codes to withdraw: nothing changed', core.trim_blanks(batch)) end, (
      select string_agg(b.value || ' ' || b.key, ', ' order by b.key) from jsonb_each_text(before) as b),
    cardinality(orders), concat(': ' || nullif(array_to_string(orders[1:50], ', '), ''),
      case when cardinality(orders) > 50 then ' and more: ops.stock_orders lists all' end);
  return taken;
end
$$;
comment on function ops.withdraw_codes is
  'Takes the codes of a batch that were not sold off sale, and returns how many. The NOTICE names the orders that have
others of it: ops.replace_code and ops.refund_item help their partners.';
