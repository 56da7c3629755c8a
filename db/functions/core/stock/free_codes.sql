create or replace function core.free_codes(supplier text, sku text, at_most int)
returns int
language plpgsql stable set search_path = pg_catalog, pg_temp
as $$
begin
  return (
    select count(*) from (
      select from supply.stock_codes c
      where c.supplier = free_codes.supplier and c.sku = free_codes.sku and core.is_sellable(c)
      -- Also a stock of a million codes is read as far as it matters.
      limit at_most) as free);
end
$$;
comment on function core.free_codes is
  'Returns how many codes of a stock can be sold now, counted up to at_most. Null counts all.';
