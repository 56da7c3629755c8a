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
  'The suppliers that fulfil orders. Their tokens are not shown, but for the name of a setting that has one.';
comment on column ops.suppliers.offers is 'How many products it offers.';
comment on column ops.suppliers.open_items is 'How many items it has that are not final.';
comment on column ops.suppliers.token is
  'env:NAME, where its token is the setting of that name; null: it stands in the database.';
comment on column ops.suppliers.push_secret is
  'env:NAME, where the secret of its events is the setting of that name; null: it has none, or it stands in the
database.';
comment on column ops.suppliers.token_url is 'Where an access token is had; null: its token is used as it is.';
comment on column ops.suppliers.client_id is 'Who we are there.';
comment on column ops.suppliers.trouble is
  'Why it takes no orders: our balance there is spent, it does not accept our credentials, or our settings make no
request; null: nothing is known.';
comment on column ops.suppliers.open_since is
  'Since when its circuit is open, and new items pass it over; null: it is closed.';
comment on column ops.suppliers.sync_every is 'How often its costs and stock are read; null: never.';
comment on column ops.suppliers.paused_at is 'Since when it gets no new items; null: it gets them.';
comment on column ops.suppliers.paused_reason is 'Why an operator paused it.';
comment on column ops.suppliers.waiting_items is 'How many items are to be sent to it and were not yet.';
comment on column ops.suppliers.max_calls is
  'How many calls to it may be under way at once, over all workers; null: no limit.';
comment on column ops.suppliers.per_minute is 'How many requests a minute all workers may make; null: no limit.';
comment on column ops.suppliers.synced_at is 'When its costs and its stock were last read in full; null: never.';
comment on column ops.suppliers.sync_error is 'Why the last reading failed; null: it did not.';
comment on column ops.suppliers.sync_due_at is 'When they are read next; null: never.';
