create or replace function core.post_once(
  what text, account_id bigint, amount numeric, reference text, note text default null,
  item supply.order_items default null, allow text[] default '{}', proposal_id bigint default null,
  adjusted supply.orders default null
)
returns numeric
language plpgsql set search_path = pg_catalog, pg_temp
as $$
declare
  type constant text := case when what in ('deposit', 'onboard') then 'deposit' else 'adjustment' end;
  account supply.accounts;
  earlier supply.ledger;
  refundable numeric;
begin
  perform core.check_allow(post_once.allow);
  post_once.reference := core.trim_blanks(post_once.reference);
  -- A correction's reference is longer than that of its deposit.
  perform core.require(length(post_once.reference) between 1 and case what when 'correct_deposit' then 240 else 200 end,
    'reference must have 1 to 200 characters');
  perform core.require(type = 'deposit' or length(core.trim_blanks(note)) between 1 and 1000,
    'note must say why, in 1 to 1000 characters');
  if type = 'deposit' then
    -- Two accounts must not get the same deposit at the same moment.
    perform pg_advisory_xact_lock(hashtextextended('deposit ' || core.plain_reference(post_once.reference), 0));
  end if;
  account := core.lock_account(post_once.account_id);
  perform core.require(core.is_money(abs(post_once.amount), account.currency),
    format('amounts in %s have at most %s decimals', account.currency, core.decimals(account.currency)));
  post_once.amount := post_once.amount::numeric(14, 2);

  select l.* into earlier from supply.ledger l
  -- guard: a reference is booked once
  where l.account_id = account.id and l.plain_reference = core.plain_reference(post_once.reference);
  if found then
    perform core.require(
      earlier.type = type and earlier.amount = post_once.amount and (earlier.item_id, earlier.adjusted_order_id)
        is not distinct from ((item).id, coalesce((item).order_id, (adjusted).id)),
      format('reference %L of account %s (%s) is taken already: %s booked %s %s under it on %s, as %s',
        post_once.reference, account.id, account.name, earlier.created_by, earlier.amount, account.currency,
        earlier.created_at::timestamptz(0), case
          when earlier.type = 'deposit' then 'a deposit' when earlier.item_id is not null then 'a refund'
          else concat_ws(' of order ', 'an adjustment', (
            select o.code from supply.orders o where o.id = earlier.adjusted_order_id)) end),
      'unique_violation', format(case earlier.type
        when 'deposit' then 'Another payment needs another reference. If that amount was wrong, put in the right one: '
          'select ops.correct_deposit(%s, %L, right_amount, note).'
        else 'Another booking needs another reference. To take that one back: select ops.adjust(%s, %3$s, '
          '''reversal of %4$s'', note).' end,
        account.id, earlier.reference, -earlier.amount, replace(earlier.reference, '''', '''''')));
    raise notice 'account % (%): % % was booked under this reference on %: nothing changed',
      account.id, account.name, earlier.amount, account.currency, earlier.created_at;
    return account.balance;
  end if;
  if core.is_proposed(account, what, post_once.amount, post_once.reference, (item).id, (adjusted).id) then
    return null;
  end if;

  refundable := (item).price * (item).amount - (item).refunded_amount - (
    select coalesce(sum(l.amount), 0) from supply.ledger l where l.item_id = (item).id and l.type = 'adjustment');
  perform core.require(post_once.amount <= refundable or (item).id is null,
    format('a refund of %s %s is refused: of item %s (%s × %s, %s %s), %s %s can still be refunded', post_once.amount,
      account.currency, (item).id, (item).amount, (item).product_name, (item).price * (item).amount, account.currency,
      refundable, account.currency),
    'check_violation');
  perform core.require(
    account.balance + post_once.amount >= 0,
    format('account %s (%s) has %s %s: %s would bring it below zero', account.id, account.name, account.balance,
      account.currency, post_once.amount),
    'check_violation', 'Nothing is booked. Book what the balance covers now, and the rest later.');
  perform core.require(
    account.balance + post_once.amount + (
      select coalesce(sum(o.total_amount), 0) from supply.orders o
      where o.account_id = account.id and o.status in ('pending', 'processing')
    ) <= 999999999999.99,
    format('account %s has %s: with %s, and what open orders may refund, it would have more than 999999999999.99',
      account.id, account.balance, post_once.amount),
    'check_violation');
  perform core.refuse_risks(
    core.risks_of_booking(account, type, post_once.amount, post_once.reference), post_once.allow,
    case when proposal_id is null then 'call it again'
      else format('end it with ops.reject(%s, note), and propose it again', proposal_id) end);
  if proposal_id is null and core.propose(account, what, post_once.amount, post_once.reference, note, (item).id, allow,
    (adjusted).id)
  then
    return null;
  end if;

  perform core.log_operator(
    action => case what when 'onboard' then 'deposit' else what end,
    subject => coalesce('item ' || (item).id, 'account ' || account.id),
    detail => jsonb_build_object('amount', post_once.amount, 'reference', post_once.reference, 'note', post_once.note,
      'balance', account.balance + post_once.amount, 'before', account.balance)
      || jsonb_strip_nulls(jsonb_build_object('proposal_id', proposal_id, 'order_code', (adjusted).code)));
  perform core.post_entries(array[row(account.id, type, post_once.amount, null, (item).id,
    post_once.reference, post_once.note, coalesce((item).order_id, (adjusted).id))::supply.ledger_entry]);
  raise notice 'account % (%): balance % → % %', account.id, account.name, account.balance,
    (account.balance + post_once.amount)::numeric(14,2),
    account.currency || coalesce('; for order ' || (adjusted).code, '');
  return account.balance + post_once.amount;
end
$$;
comment on function core.post_once is
  'Books a deposit or an adjustment (account currency; what: the operators'' function; adjusted: its order) under a
reference and returns the balance. A booked reference changes nothing; for something else it raises unique_violation.
Refuses risks. Above the approval limit it makes a proposal and returns null, unless it books one (proposal_id).';
