create or replace function api.list_transactions(
  account_id bigint, page_limit int, before_seq bigint default null,
  created_from timestamptz default null, created_to timestamptz default null
)
returns json
language plpgsql stable security definer set search_path = pg_catalog, pg_temp
as $$
declare
  -- A period is a range of seq, so that its balances and its rows agree: the last row before it, and its last row.
  opening supply.ledger;
  closing supply.ledger;
  rows supply.ledger[];
  has_more boolean;
begin
  if created_from is not null then
    select l.* into opening from supply.ledger l
    where l.account_id = list_transactions.account_id and l.created_at < created_from
    order by l.created_at desc, l.seq desc limit 1;
  end if;
  if created_to is not null then
    select l.* into closing from supply.ledger l
    where l.account_id = list_transactions.account_id and l.created_at <= created_to
    order by l.created_at desc, l.seq desc limit 1;
  else
    select l.* into closing from supply.ledger l
    where l.account_id = list_transactions.account_id
    order by l.seq desc limit 1;
  end if;

  rows := array(
    select l from supply.ledger l
    where l.account_id = list_transactions.account_id
      and l.seq > coalesce(opening.seq, 0) and l.seq <= least(coalesce(closing.seq, 0), before_seq - 1)
    order by l.seq desc limit page_limit + 1);
  has_more := cardinality(rows) > page_limit;
  rows := rows[1:page_limit];

  return json_build_object(
    'transactions', (
      select coalesce(json_agg(json_build_object(
        'seq', l.seq, 'type', l.type, 'amount', l.amount, 'balanceAfter', l.balance_after, 'currency', l.currency,
        'orderCode', o.code, 'externalOrderId', o.external_order_id, 'paymentCode',
        case when l.order_id is not null then o.payment_code end, 'createdAt', core.iso(l.created_at),
        'reference', l.reference) order by l.seq desc), '[]')
      from unnest(rows) as l
      left join supply.orders o on o.id = coalesce(l.order_id, l.adjusted_order_id)
    ),
    'openingBalance', coalesce(opening.balance_after, 0.00),
    'closingBalance', coalesce(closing.balance_after, 0.00),
    'pagination', json_build_object(
      'limit', page_limit,
      'nextCursor', case when has_more then rows[page_limit].seq::text end,
      'hasMore', has_more)
  );
end
$$;
comment on function api.list_transactions is
  'Returns the account''s ledger, newest first, of a period where one is given, with the balances before and after the
period. before_seq: a nextCursor.';
