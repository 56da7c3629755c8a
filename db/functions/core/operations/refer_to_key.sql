create or replace function core.refer_to_key(reference anycompatible)
returns bigint
language plpgsql stable set search_path = pg_catalog, pg_temp
as $$
declare
  wanted constant text := btrim(reference::text);
  -- Four digits may be the end of another key: given as a number, they are the number of a key.
  is_number constant boolean := pg_typeof(reference) <> 'text'::regtype;
  named record;
begin
  select coalesce(array_agg(k.id::text order by k.id), '{}') as ids,
    array_agg(format('%s (%s…%s of account %s, %s)', k.id,
    k.prefix, k.last4, k.account_id, case when k.revoked_at is null then 'not revoked' else 'revoked' end)
      order by k.id) as choices
  into named
  from (
    select k.* from supply.api_keys k where k.id = case when wanted ~ '^[0-9]{1,18}$' then wanted::bigint end
    union
    select f.* from core.find_keys(wanted) f where not is_number
  ) as k;
  return core.the_one('key', wanted, named.ids, named.choices);
end
$$;
comment on function core.refer_to_key is
  'Returns the API key that a reference means: its number, or, as a text, its prefix, its last characters or the whole
key. Raises as core.the_one.';
