-- Roles: finance
create or replace function ops.set_low_balance_threshold(account_id anycompatible, threshold numeric)
returns void
language plpgsql security definer set search_path = pg_catalog, pg_temp
as $$
declare
  account supply.accounts := core.lock_account(account_id);
begin
  perform core.require(threshold = 0 or core.is_money(threshold, account.currency),
    format('threshold must be from 0 to 100000000000, with at most %s decimals', core.decimals(account.currency)));
  if account.low_balance_threshold = threshold then
    raise notice 'account % (%): the threshold is % % already: nothing changed', account.id, account.name,
      account.low_balance_threshold, account.currency;
    return;
  end if;
  update supply.accounts a set low_balance_threshold = threshold where a.id = account.id;
  perform core.log_operator('set_low_balance_threshold', 'account ' || account.id,
    jsonb_build_object('threshold', threshold, 'before', account.low_balance_threshold));
  raise notice 'account % (%): threshold % → % %; the balance is %', account.id, account.name,
    account.low_balance_threshold,
    threshold::numeric(14, 2), account.currency, account.balance;
end
$$;
comment on function ops.set_low_balance_threshold is
  'Sets the threshold (account currency) at or below which a balance counts as low. The partner sees it too. 0:
never.';
