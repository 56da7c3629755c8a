create or replace function core.write_offers(offers supply.offers[], were_offered supply.product_floor[], action text)
returns int
language plpgsql set search_path = pg_catalog, pg_temp
as $$
declare
  product_ids int[];
begin
  with pair as materialized (
    select before, after
    from unnest(offers) as after
    left join supply.offers before on before.product_id = after.product_id and before.supplier = after.supplier
    where after is distinct from before
  ), written as (
    insert into supply.offers as o
    select (c.after).* from pair c order by (c.after).product_id, (c.after).supplier
    on conflict on constraint offers_pkey do update set
      (sku, cost, priority, currency, available, stock, problem, synced_at, recipient)
      = (excluded.sku, excluded.cost, excluded.priority, excluded.currency, excluded.available, excluded.stock,
        excluded.problem, excluded.synced_at, excluded.recipient)
  ), logged as (
    insert into supply.operator_log (action, subject, detail)
    select write_offers.action, format('product %s at %s', (c.after).product_id, (c.after).supplier),
      jsonb_build_object('sku', (c.after).sku, 'cost', (c.after).cost, 'priority', (c.after).priority)
        || jsonb_strip_nulls(jsonb_build_object('currency', (c.after).currency, 'recipient', (c.after).recipient,
          'available', case when (c.before).available <> (c.after).available then (c.after).available end))
        || core.values_before(to_jsonb(c.before) - 'synced_at', to_jsonb(c.after))
    from pair c order by (c.after).product_id, (c.after).supplier
  )
  select array_agg((c.after).product_id) into product_ids from pair c;
  perform core.note_offered(product_ids, were_offered);
  return coalesce(cardinality(product_ids), 0);
end
$$;
comment on function core.write_offers is
  'Writes offers of products that core.lock_offered has locked, and only those that differ; logs each as the action,
with the values before. were_offered: what core.lock_offered returned. Returns how many offers it wrote.';
