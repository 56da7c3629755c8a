create or replace function work.list_unsealed_codes(page_limit int)
returns table (kind text, id text, item_id uuid, texts jsonb)
language sql stable security definer set search_path = pg_catalog, pg_temp
as $$
  (select 'stock', c.id::text, c.id, to_jsonb(array[c.code])
    from supply.stock_codes c where c.state = 'unsealed' order by c.id limit page_limit)
  union all
  (select 'line', l.id::text, (l.given ->> 'id')::uuid, to_jsonb(array[l.given ->> 'card'])
    from supply.imports i join supply.import_lines l on l.import_id = i.id
    where i.kind = 'codes' and i.state = 'loaded' and l.given ->> 'card' not like 'sealed:%'
    order by l.import_id, l.id limit page_limit)
$$;
comment on function work.list_unsealed_codes is
  'Returns codes of our own that are not sealed yet: those loaded (kind stock), and those of imports that nobody applied
(kind line), page_limit at most of each. item_id: what they are sealed for. work.replace_texts takes the new texts.';
