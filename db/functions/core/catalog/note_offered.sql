create or replace function core.note_offered(product_ids int[], were_offered int[])
returns bigint
language sql set search_path = pg_catalog, pg_temp
as $$
  with noted as (
    update supply.products p set updated_at = now()
    where p.id = any (product_ids)
      -- As a sub-select it is called once, and not for each product.
      and (p.id = any (were_offered)) <> (p.id = any (array(select unnest(core.offered_products(product_ids)))))
    returning p.id
  )
  select count(*) from noted
$$;
comment on function core.note_offered is
  'Marks the products as changed whose availability a change of offers changed, and returns how many. were_offered:
what core.lock_offered returned before the change.';
