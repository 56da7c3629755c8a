create or replace function core.product_texts(product_id int, locale text)
returns json
language sql stable set search_path = pg_catalog, pg_temp
as $$
  select json_build_object('locale', t.locale, 'description', t.description, 'redeem', t.redeem, 'terms', t.terms)
  from supply.product_texts t
  cross join lateral (select lower(product_texts.locale), split_part(lower(product_texts.locale), '-', 1))
    as asked (locale, language)
  where t.product_id = product_texts.product_id
  order by lower(t.locale) = asked.locale desc, t.locale = asked.language desc,
    split_part(t.locale, '-', 1) = asked.language desc, t.id
  limit 1
$$;
comment on function core.product_texts is
  'Returns the texts of a product in a locale, else in its language, else the oldest ones; null: it has none. A null
locale: the oldest ones.';
