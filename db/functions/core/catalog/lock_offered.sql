create or replace function core.lock_offered(product_ids int[])
returns supply.product_floor[]
language plpgsql set search_path = pg_catalog, pg_temp
as $$
begin
  perform 1 from supply.products p where p.id = any (product_ids) order by p.id for no key update;
  return core.product_floors(product_ids);
end
$$;
comment on function core.lock_offered is
  'Locks products before their offers change, in one order; partners can still order them. Returns from which price on
each is sold, for core.note_offered.';
