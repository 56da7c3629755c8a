create or replace function core.refer_to_account(reference anycompatible)
returns bigint
language plpgsql stable set search_path = pg_catalog, pg_temp
as $$
declare
  wanted constant text := lower(core.trim_blanks(reference::text));
  -- What is given as a number is the number of an account: a slip in it must not mean another account.
  is_number constant boolean := pg_typeof(reference) <> 'text'::regtype;
  named record;
begin
  select coalesce(array_agg(a.id::text order by a.id), '{}') as ids,
    array_agg(format('%s (%s, %s)', a.id, a.name, case when a.active then 'active' else 'closed' end)
      order by a.id) as choices
  into named
  from (
    select a.*, dense_rank() over (order by match.rank) as place
    from supply.accounts a
    cross join lateral (select case
      when a.id::text = wanted then 1
      when is_number then null
      when lower(a.name) = wanted then 2
      when a.id in (select k.account_id from core.find_keys(reference::text) k) then 3
      when length(wanted) >= 2 and strpos(lower(a.name), wanted) > 0 and wanted !~ '^[0-9]+$' then 4
    end as rank) as match
    where match.rank is not null
  ) as a
  where a.place = 1;
  return core.the_one('account', reference::text, named.ids, named.choices);
end
$$;
comment on function core.refer_to_account is
  'Returns the account that a reference means: its number, or, as a text, its name, one of its keys (core.find_keys),
or a part of its name. Raises as core.the_one.';
