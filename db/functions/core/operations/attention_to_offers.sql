create or replace view core.attention_to_offers as
select coalesce((
    select max(c.changed_at) from supply.offer_changes c
    where c.product_id = j.product_id and c.supplier = j.supplier), o.synced_at, p.updated_at) as since,
  case j.fault when 'margin' then 'offer margin' else 'offer cost' end as what, 'supplier ' || j.supplier as subject,
  format('product %s, %s, is not ordered there: %s', p.id, p.name, case j.fault
    when 'problem' then o.problem
    when 'cost unknown' then 'its cost is not known, and a rule needs it'
    when 'cost' then format('it costs %s %s, and max_cost is %s', o.cost, coalesce(o.currency, p.currency),
      coalesce(o.max_cost::text, 'not set'))
    else format('it costs %s, the price is %s, and the margin must be %s', j.cost::numeric(14, 2), p.price,
      trim_scale(j.min_margin))
  end) as detail,
  case
    when j.fault = 'cost' and o.max_cost is not null
      then format('select ops.set_max_cost(%s, %L, %s)', p.id, j.supplier, o.cost)
    when j.fault = 'margin' and j.cost <= 2 * p.price
      then format('select ops.set_min_margin(%s, %s)', trim_scale(floor((p.price - j.cost) / p.price * 10000) / 10000),
        p.id)
    else format('select * from ops.offers where product_id = %s and supplier = %L', p.id, j.supplier)
  end as remedy, null::text as order_code, null::bigint as account_id,
  'supplier ' || j.supplier as all_subject,
  '%s products are not ordered there: ' || case j.fault
    when 'problem' then 'its list makes no sense'
    when 'cost unknown' then 'their costs are not known, and a rule needs them'
    when 'cost' then 'they cost more than max_cost'
    else 'the margin is too small'
  end as all_detail,
  format('select * from ops.offers where supplier = %L and unusable is not null', j.supplier) as all_remedy,
  null::text as cause
from core.judged_offers j
join supply.offers o on o.product_id = j.product_id and o.supplier = j.supplier
join supply.products p on p.id = j.product_id
where j.fault in ('problem', 'cost unknown', 'cost', 'margin') and p.in_stock;
comment on view core.attention_to_offers is 'The lines of ops.attention about offers that a rule excludes.';
