create or replace function core.risks_of_booking(account supply.accounts, type text, amount numeric, reference text)
returns supply.risk[]
language sql stable set search_path = pg_catalog, pg_temp
as $$
  select coalesce(array_agg(row(r.word, r.figures, null)::supply.risk), '{}')
  from (
    select 'large_amount'::supply.risk_word, format('%s %s is above the limit of %s %s', abs(amount),
      account.currency, m.amount_limit, m.currency)
    from supply.money_rules m where m.currency = account.currency and abs(amount) > m.amount_limit
    union all
    select 'closed_account', format('account %s (%s) is closed; its balance is %s %s', account.id, account.name,
      account.balance, account.currency)
    where not account.active
    union all
    select 'known_reference', format('%s %s was deposited with the reference %L for account %s (%s) by %s on %s',
      l.amount, l.currency, l.reference, l.account_id, a.name, l.created_by, l.created_at::timestamptz(0))
    from supply.ledger l join supply.accounts a on a.id = l.account_id
    where risks_of_booking.type = 'deposit' and l.type = 'deposit'
      and l.plain_reference = core.plain_reference(risks_of_booking.reference) and l.account_id <> account.id
    union all
    select 'known_reference', format('%s %s with the reference %L is proposal %s for account %s, by %s', p.amount,
      p.currency, p.reference, p.id, p.account_id, p.proposed_by)
    from core.dated_proposals p
    where risks_of_booking.type = 'deposit' and p.what in ('deposit', 'onboard')
      and p.state = 'open'
      and p.plain_reference = core.plain_reference(risks_of_booking.reference) and p.account_id <> account.id
  ) as r (word, figures)
$$;
comment on function core.risks_of_booking is
  'Returns the risks large_amount, closed_account and known_reference (of a deposit) of what an operator books.';
