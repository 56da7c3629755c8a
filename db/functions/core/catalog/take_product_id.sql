create or replace function core.take_product_id(wanted int)
returns int
language plpgsql set search_path = pg_catalog, pg_temp
as $$
begin
  -- Between reading the sequence and moving it nobody else may take a number from it.
  perform pg_advisory_xact_lock(hashtextextended('product ids', 0));
  if wanted is null then
    return nextval('supply.products_id_seq');
  end if;
  if wanted >= (select s.last_value from supply.products_id_seq s) then
    perform setval('supply.products_id_seq', wanted);
  end if;
  return wanted;
end
$$;
comment on function core.take_product_id is
  'The id of a product to be written: the wanted one, which no later product is numbered as, or for null the next '
  'free one.';
