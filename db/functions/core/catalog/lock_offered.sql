create or replace function core.lock_offered(product_ids int[])
returns int[]
language plpgsql set search_path = pg_catalog, pg_temp
as $$
begin
  perform 1 from supply.products p where p.id = any (product_ids) order by p.id for no key update;
  return core.offered_products(product_ids);
end
$$;
comment on function core.lock_offered is
  'Locks products before their offers change, in one order; partners can still order them. Returns those with an offer
that may be used, for core.note_offered.';
