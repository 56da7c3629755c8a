create or replace function core.offer_columns(offer supply.offers)
returns jsonb
language sql immutable set search_path = pg_catalog, pg_temp
as $$
  select jsonb_build_object('sku', offer.sku, 'cost', offer.cost, 'cost_currency', offer.currency,
    'priority', offer.priority, 'available', offer.available)
  where offer.supplier is not null
$$;
comment on function core.offer_columns is
  'Returns the columns of an offer that a list can change, by the names that they have there; null: no offer.';
