create or replace view core.attention_to_offers as
with judged as (
  select j.product_id, j.supplier, j.fault, j.cost, j.min_margin, j.rate, j.valid_until, o.cost as own_cost,
    o.currency, o.max_cost, o.problem, o.synced_at,
    p.currency as product_currency, p.name, p.price,
    count(*) over (partition by j.supplier, j.fault) as alike
  from core.judged_offers j
  join supply.offers o on o.product_id = j.product_id and o.supplier = j.supplier
  join supply.products p on p.id = j.product_id
  where j.fault in ('problem', 'rate missing', 'rate expired', 'cost unknown', 'cost', 'margin') and p.in_stock
), told as (
  select j.*, case j.fault when 'margin' then 'offer margin' else 'offer cost' end as what,
    coalesce((select max(c.changed_at) from supply.offer_changes c where c.product_id = j.product_id
      and c.supplier = j.supplier), j.synced_at,
      (select p.updated_at from supply.products p where p.id = j.product_id)) as since
  from judged j where j.fault not like 'rate%'
)
select t.since, t.what, 'supplier ' || t.supplier as subject,
  format('product %s, %s, is not ordered there: %s', t.product_id, t.name, case t.fault
    when 'problem' then t.problem
    when 'cost unknown' then 'its cost is not known, and a rule needs it'
    when 'cost' then format('it costs %s %s, and max_cost is %s', t.own_cost, coalesce(t.currency, t.product_currency),
      coalesce(t.max_cost::text, 'not set'))
    else format('it costs %s, the price is %s, and the margin must be %s', t.cost::numeric(14, 2), t.price,
      trim_scale(t.min_margin))
  end) as detail,
  case
    when t.fault = 'cost' and t.max_cost is not null then format('select ops.set_max_cost(%s, %L, %s)', t.product_id,
      t.supplier, t.own_cost)
    when t.fault = 'margin' and t.cost <= 2 * t.price
      then format('select ops.set_min_margin(%s, %s)', trim_scale(floor((t.price - t.cost) / t.price * 10000) / 10000),
        t.product_id)
    else format('select * from ops.offers where product_id = %s and supplier = %L', t.product_id, t.supplier)
  end as remedy, null::text as order_code, null::bigint as account_id
from told t where t.alike <= 10
union all
select coalesce(j.synced_at, j.updated_at), 'offer below cost', 'supplier ' || j.supplier,
  format('product %s, %s, sells for %s %s and costs %s there; the remedy stops offers below cost', j.product_id,
    j.name, j.price, j.currency,
    round(j.cost, 2)),
  format('select ops.set_min_margin(0, %s)', j.product_id), null, null
from (
  select j.product_id, j.supplier, j.cost, o.synced_at, p.updated_at, p.name, p.price, p.currency
  from core.judged_offers j
  join supply.offers o on o.product_id = j.product_id and o.supplier = j.supplier
  join supply.products p on p.id = j.product_id
  where j.fault is null and j.cost > p.price and p.in_stock
) as j
union all
select min(t.since), t.what, 'supplier ' || t.supplier, format('%s products are not ordered there: %s', count(*),
  case t.fault
    when 'problem' then 'its list makes no sense'
    when 'cost unknown' then 'their costs are not known, and a rule needs them'
    when 'cost' then 'they cost more than max_cost'
    else 'the margin is too small'
  end),
  format('select * from ops.offers where supplier = %L and unusable is not null', t.supplier), null, null
from told t where t.alike > 10 group by t.what, t.supplier, t.fault
union all
select coalesce(min(j.valid_until), min(j.synced_at), now()), j.fault,
  format('rate %s %s', j.currency, j.product_currency),
  format('%s %s not used: there is no valid rate from %s to %s%s', count(*), case count(*) when 1 then 'offer is'
    else 'offers are' end, j.currency, j.product_currency,
    case j.fault when 'rate expired' then '; the remedy goes on with the old one for a week'
      else '; put the rate into the remedy' end),
  -- Without a rate it is refused: none can be guessed.
  format('select ops.set_rate(%L, %L, %s, now() + interval ''7 days'')', j.currency, j.product_currency,
    coalesce(trim_scale(min(j.rate))::text, 'null')), null, null
from judged j where j.fault like 'rate%' group by j.fault, j.currency, j.product_currency
union all
select r.valid_until - interval '1 day', 'rate expires', format('rate %s %s', r.from_currency, r.to_currency),
  format('the rate from %s to %s expires at %s, and %s %s not used any more then; the remedy goes on with it for a '
    'week', r.from_currency, r.to_currency,
    to_char(r.valid_until at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"'), n.offers, case n.offers when 1
      then 'offer is' else 'offers are' end),
  format('select ops.set_rate(%L, %L, %s, now() + interval ''7 days'')', r.from_currency, r.to_currency,
    trim_scale(r.rate)), null, null
from supply.rates r
cross join lateral (
  select count(*) as offers from supply.offers o join supply.products p on p.id = o.product_id
  where o.currency = r.from_currency and p.currency = r.to_currency
) as n
where r.valid_until > now() and r.valid_until <= now() + interval '1 day' and n.offers > 0
union all
select coalesce(s.synced_at, y.failing_since, s.sync_due_at), 'supplier not read', 'supplier ' || s.code,
  format('its costs and its stock are what they were then: %s', coalesce(s.sync_error, 'no worker has read them')),
  format('select ops.sync_supplier(%L)', s.code), null, null
from supply.suppliers s left join supply.supplier_syncs y on y.supplier = s.code
where s.active and coalesce(s.synced_at, y.failing_since, s.sync_due_at) < now() - 4 * s.sync_every;
comment on view core.attention_to_offers is
  'The lines of ops.attention about offers that a rule or a missing rate excludes, rates that expire within a day, and
suppliers whose lists were not read for four intervals.';
