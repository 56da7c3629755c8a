create or replace function api.accounts_with_results(account_ids bigint[], after bigint[])
returns table (account_id bigint)
language sql stable security definer set search_path = pg_catalog, pg_temp
as $$
  select distinct asked.account_id
  from unnest(account_ids, after) as asked (account_id, after)
  cross join lateral (
    select r.seq from supply.order_results r where r.account_id = asked.account_id and r.seq > asked.after
    order by r.seq limit 1) as r
$$;
comment on function api.accounts_with_results is
  'Returns those of the accounts that have results after the number at the same place. An account may be given more
than once.';
