create or replace function core.take_product_id(wanted int)
returns int
language plpgsql set search_path = pg_catalog, pg_temp
as $$
begin
  -- No other transaction may take a number between the reading of the sequence and its change.
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
  'Returns the id of a product to be written: the wanted one, which the sequence then skips, or for null the next free
one.';
