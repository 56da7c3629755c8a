create or replace function core.note_offered(product_ids int[], were_offered supply.product_floor[])
returns bigint
language sql set search_path = pg_catalog, pg_temp
as $$
  with floor as materialized (
    select p.id, before.min_price as before, after.min_price as after
    from unnest(product_ids) as p (id)
    left join unnest(were_offered) as before on before.product_id = p.id
    left join unnest(core.product_floors(product_ids)) as after on after.product_id = p.id
    where before.min_price is distinct from after.min_price
  ), noted as (
    update supply.products p set updated_at = now()
    -- What this transaction has written is marked already.
    where p.updated_at <> now() and p.id = any (array(
      select f.id from floor f where exists (
        select from core.product_prices x
        where x.product_id = f.id
          and coalesce(x.price >= f.before, false) <> coalesce(x.price >= f.after, false) offset 0)))
    returning p.id
  )
  select count(*) from noted
$$;
comment on function core.note_offered is
  'Marks the products as changed whose availability a change of offers changed at one of their prices, and returns how
many. were_offered: what core.lock_offered returned before the change.';
