create or replace function core.was_recorded(item_id uuid, supplier text, outcome text, codes text[])
returns boolean
language sql stable set search_path = pg_catalog, pg_temp
as $$
  select exists (
    select from supply.supplier_attempts a
    where a.item_id = was_recorded.item_id and a.supplier = was_recorded.supplier and a.outcome = was_recorded.outcome
      and a.verdict <> 'stale'
      and array(select distinct c from unnest(a.codes) as c order by c)
        = array(select distinct c from unnest(was_recorded.codes) as c order by c)
  )
$$;
comment on function core.was_recorded is 'Whether the supplier already said the same about the item: the same outcome with the same codes.';
