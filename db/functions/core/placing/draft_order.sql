create or replace function core.draft_order(request jsonb, priced jsonb, account supply.accounts)
returns jsonb
language sql volatile set search_path = pg_catalog, pg_temp
as $$
  select jsonb_build_object(
    'code', 'ord_' || replace(gen_random_uuid()::text, '-', ''),
    'paymentCode', 'pay_' || replace(gen_random_uuid()::text, '-', ''),
    'accountId', account.id,
    'seq', account.last_seq,
    'balanceAfter', account.balance,
    'currency', account.currency,
    'idempotencyKey', request -> 'idempotencyKey',
    'externalOrderId', request -> 'externalOrderId',
    'callbackUrl', request -> 'callbackUrl',
    'items', core.comparable_items(request),
    'total', priced -> 'total',
    'pricedItems', priced -> 'items')
$$;
comment on function core.draft_order is
  'An accepted order before it is written: the request, its prices, fresh codes, and the account as the charge leaves it.';
