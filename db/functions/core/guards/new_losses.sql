create or replace function core.new_losses(before supply.loss[], after supply.loss[])
returns setof supply.loss
language sql immutable set search_path = pg_catalog, pg_temp
as $$
  select a.* from unnest(after) as a
  where not exists (
    select from unnest(before) as b
    where b.product_id = a.product_id and b.list_id is not distinct from a.list_id and b.min_quantity = a.min_quantity
      and b.price = a.price and b.currency = a.currency and b.cost >= a.cost)
$$;
comment on function core.new_losses is
  'Returns the losses that a change made, from core.losses before and after it: prices that are below the cost now, and
that were not, or were others, or whose cost rose.';
