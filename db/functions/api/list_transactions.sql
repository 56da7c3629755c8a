create or replace function api.list_transactions(
  account_id bigint, page_limit int, before_seq bigint default null,
  created_from timestamptz default null, created_to timestamptz default null
)
returns json
language plpgsql stable security definer set search_path = pg_catalog, pg_temp
as $$
#variable_conflict use_variable
declare
  rows supply.ledger[];
  has_more boolean;
begin
  select array(
    select l from supply.ledger l
    where l.account_id = list_transactions.account_id
      and (before_seq is null or l.seq < before_seq)
      and (created_from is null or l.created_at >= created_from)
      and (created_to is null or l.created_at <= created_to)
    order by l.seq desc limit page_limit + 1
  ) into rows;
  has_more := cardinality(rows) > page_limit;
  rows := rows[1:page_limit];

  return json_build_object(
    'transactions', (
      select coalesce(json_agg(json_build_object(
        'seq', l.seq, 'type', l.type, 'amount', l.amount, 'balanceAfter', l.balance_after, 'currency', l.currency,
        'orderCode', o.code, 'externalOrderId', o.external_order_id, 'paymentCode', l.payment_code,
        'createdAt', core.iso(l.created_at)) order by l.seq desc), '[]')
      from unnest(rows) as l
      left join supply.order_items i on i.id = l.item_id
      left join supply.orders o on o.id = coalesce(l.order_id, i.order_id)
    ),
    'openingBalance', (
      select coalesce((
        select l.balance_after from supply.ledger l
        where l.account_id = list_transactions.account_id and l.created_at < created_from
        order by l.seq desc limit 1), 0.00)
    ),
    'closingBalance', (
      select coalesce((
        select l.balance_after from supply.ledger l
        where l.account_id = list_transactions.account_id and (created_to is null or l.created_at <= created_to)
        order by l.seq desc limit 1), 0.00)
    ),
    'pagination', json_build_object(
      'limit', page_limit,
      'nextCursor', case when has_more then rows[page_limit].seq::text end,
      'hasMore', has_more)
  );
end
$$;
comment on function api.list_transactions is
  'The account''s ledger, newest first, optionally of a period, with the balances before and after that period; before_seq is a nextCursor.';
