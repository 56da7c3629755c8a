create or replace function core.texts_of_list(supplier text, entries jsonb)
returns setof supply.product_texts
language sql stable set search_path = pg_catalog, pg_temp
as $$
  select distinct on (o.product_id)
    before.id, o.product_id, t.locale, t.description, t.redeem, t.terms, before.updated_at, o.supplier
  from jsonb_array_elements(entries) as e
  cross join lateral jsonb_to_record(e -> 'texts') as t (locale text, description text, redeem text, terms text)
  join supply.offers o on o.supplier = texts_of_list.supplier and o.sku = e ->> 'sku'
  left join supply.product_texts before on before.product_id = o.product_id and before.locale = t.locale
  where jsonb_typeof(e -> 'texts') = 'object'
    and (t.description, t.redeem, t.terms) is distinct from (before.description, before.redeem, before.terms)
    and not exists (
      select from supply.product_texts other
      where other.product_id = o.product_id and other.supplier is distinct from o.supplier)
  order by o.product_id
$$;
comment on function core.texts_of_list is
  'Returns the texts that entries of a supplier''s list change. A product that has texts of an operator, or of another
supplier, keeps them.';
