create or replace view core.attention_to_offers as
select coalesce((
    select max(c.changed_at) from supply.offer_changes c
    where c.product_id = o.product_id and c.supplier = o.supplier), o.synced_at, p.updated_at) as since,
  case when j.fault is null then 'offer margin' else 'offer cost' end as what, 'supplier ' || o.supplier as subject,
  format('product %s, %s, is not ordered there: %s', p.id, p.name, o.unusable) || case
    when j.fault = 'cost' and o.max_cost is not null
      then format('; ops.set_max_cost(%s, %L, %s) accepts that cost', p.id, o.supplier, o.cost)
    when j.fault is null and o.margin >= -1
      then format('; ops.set_min_margin(%s, %s) accepts that margin', trim_scale(o.margin), p.id)
    else ''
  end as detail,
  format('select * from ops.offers where product_id = %s and supplier = %L', p.id, o.supplier) as remedy,
  null::text as order_code, null::bigint as account_id,
  'supplier ' || o.supplier as all_subject, '%s products are not ordered there because of: %s' as all_detail,
  format('select * from ops.offers where supplier = %L and unusable is not null', o.supplier) as all_remedy,
  coalesce(j.fault, 'margin') as cause
from core.judged_offers j
join ops.offers o on o.product_id = j.product_id and o.supplier = j.supplier
join supply.products p on p.id = j.product_id
where (j.fault in ('problem', 'cost unknown', 'cost') or j.fault is null and j.min_price > p.price) and p.in_stock;
comment on view core.attention_to_offers is 'The rows of ops.attention about offers that a rule excludes.';
