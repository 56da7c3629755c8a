create or replace function core.refer_to_key(reference text)
returns bigint
language plpgsql stable set search_path = pg_catalog, pg_temp
as $$
declare
  named record;
begin
  select coalesce(array_agg(k.id::text order by k.id), '{}') as ids, array_agg(format('%s (%s…%s of account %s, %s)', k.id,
    k.prefix, k.last4, k.account_id, case when k.revoked_at is null then 'not revoked' else 'revoked' end) order by k.id) as choices
  into named
  from (
    select k.* from supply.api_keys k where k.id = case when btrim(reference) ~ '^[0-9]{1,18}$' then btrim(reference)::bigint end
    union
    select f.* from core.find_keys(reference) f
  ) as k;
  return core.the_one('key', case when length(reference) <= 20 then reference else left(reference, 8) || '…' end,
    named.ids, named.choices);
end
$$;
comment on function core.refer_to_key is
  'Returns the one API key that a reference means: its number, prefix or last characters, or the whole key. Raises no_data_found or,
with the keys to choose from, cardinality_violation. No message shows a whole key.';
