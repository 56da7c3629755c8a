-- Roles: trade
create or replace function ops.set_product_text(
  product_id anycompatible, locale text, description text, redeem text default null, terms text default null
)
returns void
language plpgsql security definer set search_path = pg_catalog, pg_temp
as $$
declare
  product constant supply.products := core.lock_product(product_id);
  before jsonb;
  after jsonb;
  author text;
  subject constant text := format('product %s (%s) in %s', product.id, product.name, locale);
begin
  perform core.require(locale ~ '^[a-z]{2,3}(-[A-Z][a-z]{3})?(-([A-Z]{2}|[0-9]{3}))?$',
    'locale must be a language, with a script or a region where it has one, such as ru, pt-BR or zh-Hant');
  perform core.require(description is null or not core.is_blank(description),
    'description must not be empty; null removes the texts in this locale');
  perform core.require(false, format('%s must have at most 8192 bytes, not %s', t.name, octet_length(t.value)))
  from (values ('description', description), ('redeem', redeem), ('terms', terms)) as t (name, value)
  where octet_length(t.value) > 8192;

  select jsonb_build_object('description', t.description, 'redeem', t.redeem, 'terms', t.terms),
    t.supplier into before, author
  from supply.product_texts t where t.product_id = product.id and t.locale = set_product_text.locale;
  if description is not null then
    after := jsonb_build_object('description', description, 'redeem', nullif(coalesce(redeem, before ->> 'redeem'), ''),
      'terms', nullif(coalesce(terms, before ->> 'terms'), ''));
  end if;
  if after is not distinct from before and author is null then
    raise notice '%', subject || case when after is null then ' has no texts: nothing changed'
      else ' has these texts already: nothing changed' end;
    return;
  end if;
  if after is null then
    delete from supply.product_texts t where t.product_id = product.id and t.locale = set_product_text.locale;
  else
    insert into supply.product_texts as t (product_id, locale, description, redeem, terms)
    values (product.id, set_product_text.locale, after ->> 'description', after ->> 'redeem', after ->> 'terms')
    on conflict on constraint product_texts_pkey do update
      set (description, redeem, terms, updated_at, supplier)
        = (excluded.description, excluded.redeem, excluded.terms, now(), null);
  end if;
  update supply.products p set updated_at = now() where p.id = product.id;
  perform core.log_operator('set_product_text', 'product ' || product.id,
    jsonb_build_object('locale', locale) || coalesce(after, '{"description": null}')
      || jsonb_build_object('before', before));
  raise notice '%: %', subject, case when after is null then 'the texts are removed; before: ' || (
      select string_agg(format('%s %L', b.key, left(b.value, 60)), ', ') from jsonb_each_text(before) as b
      where b.value is not null)
    else coalesce((
      select string_agg(format('%s %s → %s', a.key, coalesce(quote_literal(left(before ->> a.key, 60)), 'none'),
        coalesce(quote_literal(left(a.value, 60)), 'none')), ', ')
      from jsonb_each_text(after) as a where before ->> a.key is distinct from a.value),
      format('supplier %s no longer changes these texts', author)) end;
end
$$;
comment on function ops.set_product_text is
  'Sets what shops tell buyers of a product in one locale (ru, pt-BR): description, how to redeem, terms; plain text or
Markdown, 8 KiB each. Null keeps redeem and terms, '''' clears them; a null description removes the locale. They
replace a supplier''s texts. A notice shows the values before. Raises no_data_found for an unknown product.';
