create or replace function core.post_once(
  type text, account_id bigint, amount numeric, reference text, note text default null,
  item supply.order_items default null
)
returns numeric
language plpgsql set search_path = pg_catalog, pg_temp
as $$
declare
  account supply.accounts;
  earlier supply.ledger;
  refundable numeric;
begin
  post_once.reference := core.trim_blanks(post_once.reference);
  perform core.require(length(post_once.reference) between 1 and 200, 'reference must have 1 to 200 characters');
  account := core.lock_account(post_once.account_id);
  perform core.require(core.is_money(abs(post_once.amount), account.currency),
    format('amounts in %s have at most %s decimals', account.currency, core.decimals(account.currency)));

  select l.* into earlier from supply.ledger l
  -- guard: a reference is booked once
  where l.account_id = account.id and l.plain_reference = core.plain_reference(post_once.reference);
  if found then
    perform core.require(
      earlier.type = post_once.type and earlier.amount = post_once.amount
        and earlier.item_id is not distinct from (item).id,
      format('reference %L of account %s is taken already (%s, %s)', post_once.reference, account.id, earlier.type,
        earlier.amount),
      'unique_violation');
    raise notice 'account % (%): % % was booked under this reference on %: nothing changed',
      account.id, account.name, earlier.amount, account.currency, earlier.created_at;
    return account.balance;
  end if;

  refundable := (item).price * (item).amount - (item).refunded_amount - (
    select coalesce(sum(l.amount), 0) from supply.ledger l where l.item_id = (item).id and l.type = 'adjustment');
  perform core.require(post_once.amount <= refundable or (item).id is null,
    format('of item %s, %s can still be refunded', (item).id, refundable), 'check_violation');
  perform core.require(
    account.balance + post_once.amount >= 0,
    format('account %s has %s: %s would bring it below zero', account.id, account.balance, post_once.amount),
    'check_violation');
  perform core.require(
    account.balance + post_once.amount + (
      select coalesce(sum(o.total_amount), 0) from supply.orders o
      where o.account_id = account.id and o.status in ('pending', 'processing')
    ) <= 999999999999.99,
    format('account %s has %s: with %s, and what open orders may refund, it would have more than 999999999999.99',
      account.id, account.balance, post_once.amount),
    'check_violation');
  perform core.log_operator(
    action => case
      when (item).id is not null then 'refund_item' when post_once.type = 'adjustment' then 'adjust'
      else post_once.type end,
    subject => coalesce('item ' || (item).id, 'account ' || account.id),
    detail => jsonb_build_object('amount', post_once.amount, 'reference', post_once.reference, 'note', post_once.note));
  perform core.post_entries(array[row(account.id, post_once.type, post_once.amount, null, (item).id,
    post_once.reference, post_once.note)::supply.ledger_entry]);
  raise notice 'account % (%): balance % → % %', account.id, account.name, account.balance,
    (account.balance + post_once.amount)::numeric(14,2), account.currency;
  return account.balance + post_once.amount;
end
$$;
comment on function core.post_once is
  'Books a deposit or an adjustment (account currency), of an item if one is given, under an operator''s reference and
returns the balance. A booked reference changes nothing; with another type, amount or item it raises unique_violation.
Raises check_violation below zero, above what a balance can hold, and above what is left of the item''s price.';
