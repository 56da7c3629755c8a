create or replace function core.risks_of_products(products supply.products[])
returns supply.risk[]
language sql stable set search_path = pg_catalog, pg_temp
as $$
  select coalesce(array_agg(row(r.word, format('product %s (%s): %s', after.id, after.name, r.figures), after.id)
    ::supply.risk order by after.id), '{}')
  from unnest(products) as after
  join supply.products before on before.id = after.id
  cross join lateral (values
    ('large_change', before.currency = after.currency and core.is_large_change(before.price, after.price),
      'price ' || core.change_in_words(before.price, after.price, after.currency)),
    ('currency', before.currency <> after.currency,
      format('%s %s → %s %s', before.price, before.currency, after.price, after.currency)),
    ('delivery_type', before.delivery_type <> after.delivery_type,
      format('delivery_type %s → %s', before.delivery_type, after.delivery_type))
  ) as r (word, is_there, figures)
  where r.is_there
$$;
comment on function core.risks_of_products is
  'Returns the risks large_change, currency and delivery_type of products as they would be, against those that stand in
the table. A new product has none.';
