create or replace view core.attention_to_suppliers as
select s.paused_at as since, 'supplier paused' as what, 'supplier ' || s.code as subject,
  format('%s; %s items wait for it; ops.set_supplier_paused(%L, null) ends the pause and sends them', s.paused_reason,
    w.items, s.code) as detail,
  format('select * from ops.supplier_health where supplier = %L', s.code) as remedy, null::text as order_code,
  null::bigint as account_id
from supply.suppliers s
cross join lateral (
  select count(*) as items from supply.order_items i
  where i.completed_at is null and i.supplier = s.code and i.next_call = 'put'
) as w
where s.paused_at is not null and w.items > 0
union all
select p.since, 'supplier not read', 'supplier ' || p.subject,
  p.detail || format('; ops.sync_supplier(%L) reads them at once', p.subject),
  format('select * from ops.suppliers where code = %L', p.subject), null, null
from core.problems p where p.kind = 'supplier_sync'
union all
select p.since, 'supplier balance low', 'supplier ' || p.subject,
  p.detail || format(': pay in there; the next reading ends this, and ops.sync_supplier(%L) makes it now', p.subject),
  format('select * from ops.suppliers where code = %L', p.subject), null, null
from core.problems p where p.kind = 'supplier_balance_low'
union all
select coalesce(o.synced_at, p.updated_at), 'offer below cost', 'supplier ' || j.supplier,
  format('product %s, %s, sells for %s %s and costs %s there; ops.set_min_margin(0, %1$s) stops offers below cost',
    p.id, p.name, p.price, p.currency, round(j.cost, 2)),
  format('select * from ops.offers where product_id = %s', p.id), null, null
from core.judged_offers j
join supply.offers o on o.product_id = j.product_id and o.supplier = j.supplier
join supply.products p on p.id = j.product_id
where j.fault is null and j.min_price <= p.price and j.cost > p.price and p.in_stock
union all
select s.since, 'offer below cost', 'supplier ' || j.supplier,
  format('product %s, %s, sells for %s %s%s in price list %s and costs %s there; ops.set_min_margin(0, %1$s) stops '
    'offers below cost', p.id, p.name, s.price, p.currency,
    case when s.min_quantity > 1 then format(' from %s units on', s.min_quantity) end, s.list, round(j.cost, 2)),
  format('select * from ops.offers where product_id = %s', p.id), null, null
from core.lowest_list_prices s
join supply.products p on p.id = s.product_id and p.price > s.price
join core.judged_offers j on j.product_id = p.id
where j.fault is null and j.min_price <= s.price and j.cost > s.price and j.cost <= p.price and p.in_stock
union all
select coalesce(min(j.valid_until), min(o.synced_at), now()), j.fault, format('rate %s %s', o.currency, p.currency),
  format('there is no valid rate from %s to %s%s; %s offers are not used; ops.set_rate(%1$L, %2$L, rate, until) sets '
    'one', o.currency, p.currency, case when j.fault = 'rate expired' then format(' (the last one: %s)',
    trim_scale(min(j.rate))) else '' end, count(*)),
  format('select * from ops.rates where from_currency = %L and to_currency = %L', o.currency, p.currency), null, null
from core.judged_offers j
join supply.offers o on o.product_id = j.product_id and o.supplier = j.supplier
join supply.products p on p.id = j.product_id
where j.fault in ('rate missing', 'rate expired') and p.in_stock
group by j.fault, o.currency, p.currency
union all
select r.valid_until - interval '1 day', 'rate expires', format('rate %s %s', r.from_currency, r.to_currency),
  format('the rate from %s to %s (%s) expires at %s; then %s offers are not used; '
    'ops.set_rate(%1$L, %2$L, rate, until) sets a new one', r.from_currency, r.to_currency, trim_scale(r.rate),
    to_char(r.valid_until at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"'), r.offers),
  format('select * from ops.rates where from_currency = %L and to_currency = %L', r.from_currency, r.to_currency),
  null, null
from (
  select r.*, (
    select count(*) from supply.offers o join supply.products p on p.id = o.product_id
    where o.currency = r.from_currency and p.currency = r.to_currency) as offers
  from supply.rates r
) as r
where r.valid_until > now() and r.valid_until <= now() + interval '1 day' and r.offers > 0;
comment on view core.attention_to_suppliers is
  'The rows of ops.attention about suppliers, rates, and offers below cost.';
