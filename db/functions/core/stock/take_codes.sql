create or replace function core.take_codes(supplier text, sku text, wanted bigint)
returns supply.stock_codes[]
language plpgsql set search_path = pg_catalog, pg_temp
as $$
declare
  -- Sales begin at different places of many codes that expire together. Else each would pass the rows of all others.
  spread constant int := 1000;
  first supply.stock_codes;
  begins_at bigint;
  codes supply.stock_codes[];
begin
  select c.* into first from supply.stock_codes c
  where c.supplier = take_codes.supplier and c.sku = take_codes.sku and core.is_sellable(c)
  order by c.sell_before, c.place limit 1;
  begins_at := first.place + floor(random() * greatest(0, (
    select c.place from supply.stock_codes c
    where c.supplier = first.supplier and c.sku = first.sku and c.state = 'free' and c.sell_before = first.sell_before
    order by c.place desc limit 1) - first.place - spread));
  codes := array(
    select c from supply.stock_codes c
    where c.supplier = first.supplier and c.sku = first.sku and c.state = 'free' and c.sell_before = first.sell_before
      and c.place >= begins_at
    order by c.place limit wanted
    -- guard: two items never get one code, and never wait for one
    for update skip locked);
  if cardinality(codes) < wanted then
    codes := codes || array(
      select c from supply.stock_codes c
      where c.supplier = first.supplier and c.sku = first.sku and core.is_sellable(c)
        and (c.sell_before > first.sell_before or c.place < begins_at)
      order by c.sell_before, c.place limit wanted - cardinality(codes)
      for update skip locked);
  end if;
  return codes;
end
$$;
comment on function core.take_codes is
  'Locks and returns so many free codes of a stock, those that expire first first, or fewer where fewer are free or
others have locked them.';
