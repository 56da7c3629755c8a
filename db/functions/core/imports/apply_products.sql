create or replace function core.apply_products(
  import_id bigint, only_valid boolean, missing_of text, allow text[], out judged supply.judged_line[], out missing int
)
language plpgsql set search_path = pg_catalog, pg_temp
as $$
declare
  lines supply.product_line[];
  products supply.products[];
  offers supply.offers[];
  gone supply.offers[];
  locked_ids int[];
  were_offered supply.product_floor[];
  risks supply.risk[];
  ended text;
begin
  -- As in ops.load_catalog: no other transaction creates products or marks games meanwhile. Rows that do not change are
  -- not locked.
  perform pg_advisory_xact_lock(hashtextextended('product ids', 0));
  lines := array(select l from core.product_lines(import_id) as l);
  gone := core.missing_offers(missing_of, lines);
  locked_ids := array(
    select c.product_id from core.changes_of_lines(lines) as c union select g.product_id from unnest(gone) as g);
  were_offered := core.lock_offered(locked_ids);
  -- To compare all lines again takes seconds.
  if gone is distinct from core.missing_offers(missing_of, lines) or exists (
    select from unnest(lines) as l
    left join supply.products p on p.id = (l.product).id
    left join supply.offers o on o.product_id = p.id and o.supplier = l.supplier
    where p is distinct from l.product_before or o is distinct from l.offer_before)
  then
    lines := array(select l from core.product_lines(import_id) as l);
    gone := core.missing_offers(missing_of, lines);
    perform core.require(not exists (
        select from (
          select c.product_id from core.changes_of_lines(lines) as c
          union all select g.product_id from unnest(gone) as g
          except select unnest(locked_ids)) as n),
      'the catalog changed meanwhile', 'serialization_failure', 'Nothing changed. Call it again.');
  end if;

  risks := core.risks_of_lines(lines, gone);
  judged := array(select j from core.judge_products(lines, 3, risks) as j);
  perform core.refuse_wrong_lines(import_id, judged) where only_valid is not true;
  missing := cardinality(gone);
  perform core.refuse_risks(risks || array(
    select row('large_change', format('%s of the %s offers of %s that are available are not in the file', missing,
      count(*), missing_of), null)::supply.risk
    from supply.offers o where o.supplier = missing_of and o.available having missing > count(*) * 0.2), allow);
  select array_agg(c.product), array_agg(c.offer) filter (where (c.offer).supplier is not null)
  into products, offers
  from core.changes_of_lines(lines) as c;
  ended := core.ended_prices(products);
  perform core.write_products(products, 'apply_import');
  perform core.write_offers(offers || gone, were_offered, 'apply_import');
  if ended is not null then
    raise notice '%', ended;
  end if;
end
$$;
comment on function core.apply_products is
  'Writes what the right lines of an import of products change; of a supplier missing_of, offers that the file lacks
become unavailable. Returns what all lines mean, with the detail of three, and how many offers were missing. Raises for
wrong lines, unless only_valid, and for risks that allow does not name.';
