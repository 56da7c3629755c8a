-- Roles: support, finance
create or replace function ops.set_spending_limit(
  account_id anycompatible, amount numeric, per text default 'day', key bigint default null
)
returns void
language plpgsql security definer set search_path = pg_catalog, pg_temp
as $$
declare
  account supply.accounts := core.lock_account(account_id);
  line_id bigint;
  before supply.spending_limits;
  now_is core.spending;
  span constant text := case per when 'hour' then 'an ' else 'a ' end || per;
begin
  perform core.require(per in ('hour', 'day'), 'per must be hour or day');
  perform core.require(amount is null or amount = 0 or core.is_money(amount, account.currency), format(
    'amount must be 0 or more, with at most %s decimals in %s; null lifts the limit', core.decimals(account.currency),
    account.currency));
  if key is not null then
    select coalesce(k.first_key_id, k.id) into line_id
    from supply.api_keys k where k.id = key and k.account_id = account.id;
    perform core.require(found, format('account %s (%s) has no key %s', account.id, account.name, key), 'no_data_found',
      format('select * from ops.api_keys where account_id = %s', account.id));
  end if;
  select l.* into before from supply.spending_limits l
  where l.account_id = account.id and l.key_id is not distinct from line_id and l.per = set_spending_limit.per;
  if amount is not distinct from before.amount then
    raise notice 'account % (%)%: % % already: nothing changed', account.id, account.name,
      coalesce(', key ' || key, ''), coalesce(before.amount || ' ' || account.currency, 'no limit'), span;
    return;
  end if;
  if amount is null then
    delete from supply.spending_limits l
    where l.account_id = account.id and l.key_id is not distinct from line_id and l.per = set_spending_limit.per;
  else
    insert into supply.spending_limits as l (account_id, key_id, per, amount, window_start, spent)
    values (account.id, line_id, per, amount, '-infinity', 0)
    on conflict on constraint spending_limits_key do update set amount = excluded.amount;
  end if;
  select s.* into now_is from core.spending s
  where s.account_id = account.id and s.key_id is not distinct from line_id and s.per = set_spending_limit.per;
  perform core.log_operator('set_spending_limit', 'account ' || account.id, jsonb_build_object(
    'key_id', key, 'per', per, 'amount', amount, 'before', before.amount));
  raise notice 'account % (%)%: % → % %', account.id, account.name, coalesce(', key ' || key, ''),
    coalesce(before.amount || ' ' || account.currency, 'no limit'),
    coalesce(now_is.amount || ' ' || account.currency, 'no limit'), span;
  if now_is.amount is not null then
    raise notice 'spent since %: % %', now_is.starts_at::timestamptz(0), now_is.spent, account.currency;
  end if;
end
$$;
comment on function ops.set_spending_limit is
  'Limits what orders of an account, or of one of its keys and those that replace it, may cost in each hour or day
(UTC), in the account''s currency. null lifts the limit, 0 forbids. What was spent in this hour or day counts,
also what was refunded since. Raises for an unknown account or key.';
