create or replace view ops.suppliers as
select s.code, s.protocol, s.base_url, s.active,
  (select count(*)::int from supply.offers o where o.supplier = s.code) as offers,
  (select count(*)::int from supply.order_items i where i.completed_at is null and i.supplier = s.code) as open_items,
  s.updated_at, case when s.token like 'env:%' then s.token end as token,
  case when s.push_secret like 'env:%' then s.push_secret end as push_secret, s.token_url, s.client_id, s.trouble,
  s.open_since, s.sync_every, s.paused_at, s.paused_reason,
  (
    select count(*)::int from supply.order_items i
    where i.completed_at is null and i.supplier = s.code and i.next_call = 'put' and i.sent_at is null
  ) as waiting_items,
  s.max_calls, s.per_minute, s.synced_at, s.sync_error, s.sync_due_at
from supply.suppliers s;
comment on view ops.suppliers is
  'The suppliers that fulfil orders. No token is shown, only the name of the setting that has it.';
comment on column ops.suppliers.offers is 'The number of its offers.';
comment on column ops.suppliers.open_items is 'The number of its items that are not final.';
comment on column ops.suppliers.token is
  'env:NAME if the setting of that name has its token; null: the database has it.';
comment on column ops.suppliers.push_secret is
  'env:NAME if the setting of that name has the secret of its events; null: the database has it, or there is none.';
comment on column ops.suppliers.token_url is 'The URL that issues access tokens; null: its token is used directly.';
comment on column ops.suppliers.client_id is 'Our client id at the supplier.';
comment on column ops.suppliers.trouble is
  'Why it takes no orders: balance (ours there is spent), credentials (it does not accept ours), or settings (ours make
no request); null: no trouble is known.';
comment on column ops.suppliers.open_since is
  'When its circuit opened, so that new items use others; null: the circuit is closed.';
comment on column ops.suppliers.sync_every is 'How often workers read its costs and stock; null: never.';
comment on column ops.suppliers.paused_at is 'When it was paused; null: it is not paused.';
comment on column ops.suppliers.paused_reason is 'Why an operator paused it.';
comment on column ops.suppliers.waiting_items is 'The number of items that wait to be sent to it.';
comment on column ops.suppliers.max_calls is 'The maximum number of calls at once, over all workers; null: no limit.';
comment on column ops.suppliers.per_minute is
  'The maximum number of requests a minute, over all workers; null: no limit.';
comment on column ops.suppliers.synced_at is 'When a worker last read its costs and stock completely; null: never.';
comment on column ops.suppliers.sync_error is 'Why the last read failed; null: it did not fail.';
comment on column ops.suppliers.sync_due_at is 'When the next read is due; null: never.';
