create or replace function core.apply_prices(import_id bigint, only_valid boolean, allow text[])
returns supply.judged_line[]
language plpgsql set search_path = pg_catalog, pg_temp
as $$
declare
  prices supply.list_prices[] := array(
    select p from core.changed_prices(array(select l from core.price_lines(import_id) as l)) as p);
  list_ids constant int[] := array(select distinct p.list_id from unnest(prices) as p);
  product_ids constant int[] := array(select distinct p.product_id from unnest(prices) as p);
  lines supply.price_line[];
  judged supply.judged_line[];
  losses supply.loss[];
  risks supply.risk[];
begin
  perform 1 from supply.price_lists l where l.id = any (list_ids) order by l.id for no key update;
  perform 1 from supply.products p where p.id = any (product_ids) order by p.id for no key update;
  lines := array(select l from core.price_lines(import_id) as l);
  prices := array(select p from core.changed_prices(lines) as p);
  perform core.require(not exists (
      select from unnest(prices) as p where p.list_id <> all (list_ids) or p.product_id <> all (product_ids)),
    'the price lists changed meanwhile', 'serialization_failure', 'Nothing changed. Call it again.');
  judged := array(select j from core.judge_prices(lines) as j);
  perform core.refuse_wrong_lines(import_id, judged) where only_valid is not true;

  losses := core.losses(product_ids, list_ids);
  risks := array(
    select row('large_change', format('%s: price %s', l.subject,
      core.change_in_words((l.before).price, (l.after).price, p.currency)), p.id)::supply.risk
    from unnest(lines) as l join supply.products p on p.id = (l.after).product_id
    where core.is_large_change((l.before).price, (l.after).price) order by l.line);
  perform core.write_list_prices(prices, 'apply_import');
  perform core.refuse_risks(risks || core.risks_of_losses(losses, core.losses(product_ids, list_ids)), allow);
  return judged;
end
$$;
comment on function core.apply_prices is
  'Writes what the right lines of an import of prices change, and returns what all mean. Raises for wrong lines, unless
only_valid, and for risks that allow does not name.';
