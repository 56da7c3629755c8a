-- Roles: trade
create or replace function ops.load_codes(
  supplier text, sku text, codes text[], cost numeric default null, batch text default null
)
returns int
language plpgsql security definer set search_path = pg_catalog, pg_temp
as $$
declare
  of_sku constant text := core.lock_stock(supplier, sku);
  lines supply.code_line[];
begin
  perform core.require(cardinality(codes) >= 1, 'codes must be an array of one code or more');
  perform core.require(coalesce(cost >= 0 and cost < 1e11 and cost = round(cost, 2), true),
    'cost must be 0 or more, with at most 2 decimals; null: the cost of the offer');
  perform core.require(coalesce(length(core.trim_blanks(batch)) between 1 and 200, true),
    'batch must have 1 to 200 characters; null: a number');
  perform core.lock_codes();
  lines := array(
    select row(c.place, core.time_ordered_uuid(), null, core.fault_of_card(t.code, null, null, null, null),
      load_codes.supplier, of_sku, t.code, null, load_codes.cost, core.trim_blanks(batch))::supply.code_line
    from unnest(codes) with ordinality as c (code, place)
    cross join lateral (select core.trim_blanks(c.code) as code) as t order by c.place);
  lines := core.judge_cards(lines);
  perform core.require(false, format('%s of %s codes cannot be loaded, such as codes[%s]: %s', w.wrong,
      cardinality(lines), w.line, w.fault), hint => 'Nothing was loaded. ops.import_codes takes a file, shows the '
        'wrong lines, and can load the others.')
  from (
    select l.line, l.fault, count(*) over () as wrong from unnest(lines) as l
    where l.fault is not null order by l.line limit 1) as w;
  return core.add_codes(lines);
end
$$;
comment on function ops.load_codes is
  'Adds codes to our own stock of a sku; returns how many. cost: of one, in the offer''s currency; null: the offer''s.
batch: a name; null: a number. Raises for a code that the list, the stock or an item has already. The codes stand in
the statement, and so in the server''s log where it logs statements. ops.import_codes takes a file.';
