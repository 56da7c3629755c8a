create or replace function core.apply_products(import_id bigint, missing_of text, allow text[])
returns int
language plpgsql set search_path = pg_catalog, pg_temp
as $$
declare
  lines supply.product_line[] := array(select l from core.product_lines(import_id) as l);
  missing supply.offers[] := core.missing_offers(missing_of, lines);
  locked_ids int[];
  were_offered supply.product_floor[];
  products supply.products[];
  offers supply.offers[];
  product_ids int[];
  sales supply.sale[];
  risks supply.risk[];
begin
  -- As in ops.load_catalog: no other transaction creates products or marks games meanwhile. Rows that do not change are
  -- not locked.
  perform pg_advisory_xact_lock(hashtextextended('product ids', 0));
  locked_ids := array(
    select c.product_id from core.changes_of_lines(lines) as c union select m.product_id from unnest(missing) as m);
  were_offered := core.lock_offered(locked_ids);

  lines := array(select l from core.product_lines(import_id) as l);
  missing := core.missing_offers(missing_of, lines);
  select array_agg(c.product), array_agg(c.offer) filter (where (c.offer).supplier is not null),
    array_agg(c.product_id)
  into products, offers, product_ids
  from core.changes_of_lines(lines) as c;
  offers := offers || missing;
  product_ids := product_ids || array(select m.product_id from unnest(missing) as m);
  perform core.require(not exists (
      select unnest(product_ids) except select unnest(locked_ids)
      except select (l.product).id from unnest(lines) as l where (l.product_before).id is null),
    'the catalog changed meanwhile', 'serialization_failure', 'Nothing changed. Call it again.');

  sales := core.current_sales(product_ids);
  risks := core.risks_of_products(products) || core.risks_of_offers(offers) || array(
    select row('large_change', format('%s of the %s offers of %s that are available are not in the file',
      cardinality(missing), count(*), missing_of), null)::supply.risk
    from supply.offers o where o.supplier = missing_of and o.available
    having cardinality(missing) > count(*) * 0.2);
  perform core.write_products(products, 'apply_import');
  perform core.write_offers(offers, were_offered, 'apply_import');
  perform core.refuse_risks(risks || core.risks_of_sales(sales, core.current_sales(product_ids)), allow);
  return cardinality(missing);
end
$$;
comment on function core.apply_products is
  'Writes what the right lines of an import of products change. missing_of: a supplier whose other offers become
unavailable. Returns how many did. Raises for risks that allow does not name.';
