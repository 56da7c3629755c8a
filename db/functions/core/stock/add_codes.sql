create or replace function core.add_codes(lines supply.code_line[])
returns int
language plpgsql set search_path = pg_catalog, pg_temp
as $$
declare
  must_seal constant boolean := exists (select from supply.data_keys);
  batch record;
  batch_id bigint;
begin
  for batch in
    select l.supplier, l.sku, l.batch as name, count(*) as codes, sum(l.cost) as cost,
      array_agg(l order by l.line) as lines
    from unnest(lines) as l group by l.supplier, l.sku, l.batch order by min(l.line)
  loop
    batch_id := (select max(b.id) from supply.stock_batches b
      where (b.name, b.supplier, b.sku) = (batch.name, batch.supplier, batch.sku));
    if batch_id is null then
      loop
        batch_id := nextval('supply.stock_batches_id_seq');
        -- An operator may have named a batch by this number.
        exit when batch.name is not null
          or not exists (select from supply.stock_batches b where b.name = batch_id::text);
      end loop;
      insert into supply.stock_batches (id, name, supplier, sku) overriding system value
      values (batch_id, coalesce(batch.name, batch_id::text), batch.supplier, batch.sku);
    end if;
    insert into supply.stock_codes (id, batch_id, supplier, sku, code, sell_before, cost, state)
    select l.id, batch_id, l.supplier, l.sku, l.card, coalesce(l.sell_before, 'infinity'), l.cost,
      case when must_seal and l.card not like 'sealed:%' then 'unsealed' else 'free' end
    from unnest(batch.lines) as l order by l.line;
    perform core.log_operator('load_codes', 'batch ' || coalesce(batch.name, batch_id::text), jsonb_strip_nulls(
      jsonb_build_object('supplier', batch.supplier, 'sku', batch.sku, 'codes', batch.codes, 'cost', batch.cost)));
    raise notice '% codes are in stock as batch %: supplier %, sku %', batch.codes,
      coalesce(batch.name, batch_id::text), batch.supplier, concat(batch.sku,
        case when must_seal then '; a worker seals them within seconds, and compares them with all others' end,
        case when not exists (
          select from supply.offers o where o.supplier = batch.supplier and o.sku = batch.sku)
          then '; no product is sold from it yet: ops.upsert_offer' end);
  end loop;
  perform core.request_sealing();
  return cardinality(lines);
end
$$;
comment on function core.add_codes is
  'Adds codes without faults to the stock, in their batches, and returns how many. Where data keys exist, those that are
not sealed are sold only when a worker has sealed them. The caller holds the lock of the stocks (core.lock_codes).';
