create or replace function work.list_unsealed_codes(page_limit int)
returns table (kind text, id text, item_id uuid, texts jsonb)
language plpgsql security definer set search_path = pg_catalog, pg_temp
as $$
begin
  return query
  select 'stock', c.id::text, c.id, to_jsonb(array[c.code])
  from (
    select s.* from supply.stock_codes s where s.state = 'unsealed' order by s.id limit page_limit
    for no key update skip locked) as c
  union all
  select 'line', c.id::text, (c.given ->> 'id')::uuid, to_jsonb(array[c.given ->> 'card'])
  from (
    select l.* from supply.imports i join supply.import_lines l on l.import_id = i.id
    where i.kind = 'codes' and i.state = 'loaded' and l.given ->> 'card' not like 'sealed:%'
    order by l.import_id, l.id limit page_limit for no key update of l skip locked) as c;
  -- The job is tried again soon.
  perform core.require(found or not exists (select from supply.stock_codes s where s.state = 'unsealed'),
    'another transaction has locked the codes that are not sealed', 'lock_not_available');
end
$$;
comment on function work.list_unsealed_codes is
  'Returns codes of our own that are not sealed yet: those loaded (kind stock), and of imports not applied (line);
page_limit at most of each. Raises lock_not_available where others have locked all that remain. item_id: what they are
sealed for. work.replace_texts takes the new texts.';
