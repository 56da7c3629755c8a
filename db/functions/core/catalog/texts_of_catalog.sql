create or replace function core.texts_of_catalog(entries jsonb)
returns table (product_id int, locale text, description text, redeem text, terms text)
language sql stable set search_path = pg_catalog, pg_temp
as $$
  -- Null clears redeem and terms; absent ones stay.
  select t.product_id, t.locale, t.description,
    case when e ? 'redeem' then coalesce(t.redeem, '') end, case when e ? 'terms' then coalesce(t.terms, '') end
  from jsonb_array_elements(entries) with ordinality as listed (e, place)
  cross join lateral jsonb_to_record(e) as t (
    product_id int, locale text, description text, redeem text, terms text)
  left join supply.product_texts before on before.product_id = t.product_id and before.locale = t.locale
  where t.description is distinct from before.description
    or t.description is not null and (
      e ? 'redeem' and nullif(t.redeem, '') is distinct from before.redeem
      or e ? 'terms' and nullif(t.terms, '') is distinct from before.terms)
  order by t.product_id, listed.place
$$;
comment on function core.texts_of_catalog is
  'Returns the entries of a catalog that change the texts of products, as arguments of ops.set_product_text; those of
a product in the order of the catalog, because readers without a locale get the first.';
