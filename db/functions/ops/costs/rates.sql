create or replace view ops.rates as
select r.from_currency, r.to_currency, r.rate, nullif(r.valid_until, 'infinity') as valid_until,
  r.valid_until > now() as valid, r.set_at,
  (
    select count(*)::int from supply.offers o join supply.products p on p.id = o.product_id
    where o.currency = r.from_currency and p.currency = r.to_currency
  ) as offers
from supply.rates r;
comment on view ops.rates is
  'By what the costs of suppliers are converted. Without a valid rate an offer in another currency than its product is
not used.';
comment on column ops.rates.from_currency is 'The currency of costs.';
comment on column ops.rates.to_currency is 'The currency of products.';
comment on column ops.rates.rate is 'How many units of to_currency one unit of from_currency costs.';
comment on column ops.rates.valid_until is 'When it ends; null: it does not.';
comment on column ops.rates.valid is 'Whether it is used now.';
comment on column ops.rates.offers is 'How many offers need it.';
