create or replace view ops.suppliers as
select s.code, s.protocol, s.base_url, s.active,
  (select count(*)::int from supply.offers o where o.supplier = s.code) as offers,
  (select count(*)::int from supply.order_items i where i.completed_at is null and i.supplier = s.code) as open_items,
  s.updated_at, case when s.token like 'env:%' then s.token end as token,
  case when s.push_secret like 'env:%' then s.push_secret end as push_secret, s.token_url, s.client_id, s.trouble,
  s.open_since, s.sync_every, s.paused_at, s.paused_reason,
  (
    select count(*)::int from supply.order_items i
    where i.completed_at is null and i.supplier = s.code and i.next_call = 'put'
  ) as waiting_items,
  s.max_calls, s.per_minute, s.synced_at, s.sync_error, s.sync_due_at,
  b.balance, b.currency as balance_currency, b.read_at as balance_at,
  round(greatest(b.balance, 0) / nullif(b.daily_cost, 0), 1) as days_left, b.error as balance_error, s.balance_threshold
from supply.suppliers s left join supply.supplier_balances b on b.supplier = s.code;
comment on view ops.suppliers is
  'The suppliers that fulfil orders. No token is shown, only the name of the setting that has it.';
comment on column ops.suppliers.offers is 'The number of its offers.';
comment on column ops.suppliers.open_items is 'The number of its items that are not final.';
comment on column ops.suppliers.token is
  'env:NAME if the setting of that name has its token; null: the database has it.';
comment on column ops.suppliers.push_secret is
  'env:NAME if the setting of that name has the secret of its events; null: the database has it, or there is none.';
comment on column ops.suppliers.waiting_items is 'The number of items that wait to be sent to it.';
comment on column ops.suppliers.balance is 'Our balance there, as last reported; null: the supplier reports none.';
comment on column ops.suppliers.balance_currency is 'The currency of the balance.';
comment on column ops.suppliers.balance_at is 'When the supplier reported the balance; it is asked every 5 minutes.';
comment on column ops.suppliers.days_left is
  'How many days the balance lasts: at the cost of the last 24 hours or of seven days, the smaller number.';
comment on column ops.suppliers.balance_error is 'Why the last reading of the balance failed; null: it did not.';
comment on column ops.suppliers.balance_threshold is
  'At or below it operators are alerted (ops.set_supplier_threshold).';
