create or replace function core.refer_to_account(reference text)
returns bigint
language plpgsql stable set search_path = pg_catalog, pg_temp
as $$
declare
  wanted constant text := lower(core.trim_blanks(reference));
  named record;
begin
  select coalesce(array_agg(a.id::text order by a.id), '{}') as ids,
    array_agg(format('%s (%s, %s)', a.id, a.name, case when a.active then 'active' else 'closed' end) order by a.id) as choices
  into named
  from (
    select a.*, dense_rank() over (order by match.rank) as place
    from supply.accounts a
    cross join lateral (select case
      when a.id::text = wanted then 1
      when lower(a.name) = wanted then 2
      when a.id in (select k.account_id from core.find_keys(reference) k) then 3
      when length(wanted) >= 2 and strpos(lower(a.name), wanted) > 0 then 4
    end as rank) as match
    where match.rank is not null
  ) as a
  where a.place = 1;
  return core.the_one('account', case when length(reference) <= 100 then reference else left(reference, 8) || '…' end,
    named.ids, named.choices);
end
$$;
comment on function core.refer_to_account is
  'Returns the one account that a reference means: its number, else its name, else one of its keys (core.find_keys), else a part of its
name. Raises no_data_found or, with the accounts to choose from, cardinality_violation.';
