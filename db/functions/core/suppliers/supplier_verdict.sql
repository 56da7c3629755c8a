create or replace function core.supplier_verdict(item supply.order_items, status text, codes text[])
returns text
language sql stable set search_path = pg_catalog, pg_temp
as $$
  select case
    when item.delivery_type <> 'key' then case status when 'completed' then 'complete' else 'fail' end
    when distinct_codes <> cardinality(codes) then 'hold'
    when exists (select k.code from supply.item_keys k where k.item_id = item.id except select c from unnest(codes) as c) then 'hold'
    when status = 'completed' then case when distinct_codes = item.amount then 'complete' else 'hold' end
    when distinct_codes = 0 then 'fail'
    when distinct_codes < item.amount then 'partial'
    else 'hold'
  end
  from (select count(distinct c) as distinct_codes from unnest(codes) as c) as counted
$$;
comment on function core.supplier_verdict is
  'What a supplier''s answer means for an open item: complete, partial, fail, or hold where it makes no sense: '
  'a key item completes only with exactly its amount of distinct codes, among them all that were kept before.';
