create or replace view ops.rates as
select r.from_currency, r.to_currency, r.rate, nullif(r.valid_until, 'infinity') as valid_until,
  r.valid_until > now() as valid, r.set_at,
  (
    select count(*)::int from supply.offers o join supply.products p on p.id = o.product_id
    where o.currency = r.from_currency and p.currency = r.to_currency
  ) as offers
from supply.rates r;
comment on view ops.rates is
  'The rates that convert suppliers'' costs. Without a valid rate an offer in another currency than its product is not
used.';
comment on column ops.rates.valid_until is 'When it expires; null: never.';
comment on column ops.rates.valid is 'Whether it is valid now.';
comment on column ops.rates.offers is 'The number of offers that need it.';
