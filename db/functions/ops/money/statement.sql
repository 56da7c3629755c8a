create or replace function ops.statement(account_id bigint, from_at timestamptz default null, to_at timestamptz default null)
returns table (
  at timestamptz, seq bigint, type text, amount numeric, balance numeric, order_code text, external_order_id text,
  reference text, note text, currency text
)
language plpgsql stable security definer set search_path = pg_catalog, pg_temp
as $$
#variable_conflict use_column
declare
  account supply.accounts := (select a from supply.accounts a where a.id = statement.account_id);
  -- A period is a range of seq, so that its balances and its rows agree: the last row before it, and its last row.
  opening supply.ledger;
  closing supply.ledger;
begin
  perform core.require(account.id is not null, format('there is no account %s', statement.account_id), 'no_data_found');
  perform core.require(coalesce(from_at <= to_at, true), 'from_at must not be after to_at');
  if from_at is not null then
    select l.* into opening from supply.ledger l
    where l.account_id = account.id and l.created_at < from_at
    order by l.created_at desc, l.seq desc limit 1;
  end if;
  if to_at is not null then
    select l.* into closing from supply.ledger l
    where l.account_id = account.id and l.created_at < to_at
    order by l.created_at desc, l.seq desc limit 1;
  else
    select l.* into closing from supply.ledger l where l.account_id = account.id order by l.seq desc limit 1;
  end if;

  return query
  select coalesce(from_at, account.created_at), null::bigint, 'opening_balance', null::numeric, coalesce(opening.balance_after, 0.00),
    null::text, null::text, null::text, null::text, account.currency;
  return query
  select l.created_at, l.seq, l.type, l.amount, l.balance_after, o.code, o.external_order_id, l.reference, l.note, l.currency
  from supply.ledger l
  left join lateral (
    select i.order_id from supply.order_items i where l.order_id is null and i.id = l.item_id offset 0) as of_item on true
  left join lateral (
    select o.code, o.external_order_id from supply.orders o where o.id = coalesce(l.order_id, of_item.order_id) offset 0) as o on true
  where l.account_id = account.id and l.seq > coalesce(opening.seq, 0) and l.seq <= coalesce(closing.seq, 0)
  order by l.seq;
  return query
  select coalesce(to_at, greatest(now(), closing.created_at)), null::bigint, 'closing_balance', null::numeric,
    coalesce(closing.balance_after, 0.00), null::text, null::text, null::text, null::text, account.currency;
end
$$;
comment on function ops.statement is
  'What moved an account''s balance from a moment on and before another one (null: from its beginning, until now), oldest first, in the '
  'account''s currency. The first row (opening_balance) and the last one (closing_balance) have a balance and no amount: the amounts '
  'between lead from one to the other, and a period''s closing balance is the opening balance of the one that begins where it ends. '
  'Raises if there is no such account, or the period ends before it begins.';
