create or replace view core.audit_stock as
with times as materialized (
  -- Sales and ends of items are read by time: each lies in the time of one slice.
  select s.part,
    case when s.after = 0 then '-infinity' else (
      select o.created_at from supply.orders o where o.id > s.after order by o.id limit 1) end as since,
    case when s.part = 'newest' then 'infinity' else (
      select o.created_at from supply.orders o where o.id > s.up_to order by o.id limit 1) end as until
  from core.audit_scope s
), sold as materialized (
  -- An item ends a moment after its codes are sold, perhaps in the next slice.
  select t.part, c.item_id, min(c.supplier) as supplier, min(c.sku) as sku, count(*) as codes,
    count(*) filter (where c.sold_at >= c.sell_before) as expired, bool_and(c.sold_at >= t.since) as is_in_time,
    max(c.place) as place
  from times t
  cross join (select distinct b.supplier, b.sku from supply.stock_batches b) as stock
  cross join lateral (
    select c.item_id, c.supplier, c.sku, c.sold_at, c.sell_before, c.place from supply.stock_codes c
    where c.supplier = stock.supplier and c.sku = stock.sku and c.state = 'sold'
      and c.sold_at >= t.since - interval '1 minute' and c.sold_at < t.until offset 0) as c
  group by t.part, c.item_id
), ended as materialized (
  select t.part, i.id, i.amount, sum(i.amount) over (partition by t.part order by i.id desc) as codes_up_to_here
  from times t
  cross join (select s.code from supply.suppliers s where s.protocol = 'stock') as stock
  cross join lateral (
    select i.id, i.amount, i.status from supply.order_items i
    where i.supplier = stock.code and i.completed_at >= t.since and i.completed_at < t.until offset 0) as i
  where i.status = 'completed'
), found as (
  select 'sold_code_belongs_to_its_item' as check_name, s.item_id,
    format('%s codes of the stock %s, sku %s, are sold to item %s, which is %s', s.codes, s.supplier, s.sku, s.item_id,
      coalesce(i.status || ' at ' || i.supplier || ', sku ' || i.sku, 'missing')) as detail
  from sold s
  left join lateral (select i.* from supply.order_items i where i.id = s.item_id offset 0) as i on true
  where s.is_in_time and ((s.supplier, s.sku) is distinct from (i.supplier, i.sku)
    or not (i.status = 'completed' or i.completed_at is null and i.held_at is not null))
  union all
  select 'sold_code_had_not_expired', s.item_id,
    format('%s codes of the stock %s, sku %s, had expired when item %s got them', s.expired, s.supplier, s.sku,
      s.item_id)
  from sold s where s.is_in_time and s.expired > 0
  union all
  -- Grouped: a join may be planned as a loop over all sold codes for each item.
  select 'item_has_its_sold_codes', b.item_id,
    format('item %s has an amount of %s, but %s codes of the stock are sold to it', b.item_id, sum(b.amount),
      sum(b.codes))
  from (
    select s.part, s.item_id, s.codes, 0 as amount from sold s
    union all
    select e.part, e.id, 0, e.amount from ended e) as b
  group by b.part, b.item_id having sum(b.amount) > 0 and sum(b.amount) <> sum(b.codes)
  union all
  select 'delivered_code_is_not_free', e.id,
    format('%s codes of item %s are free in the stock, too', count(*), e.id)
  from ended e
  cross join lateral (
    select core.code_identity(k.code) as identity from supply.item_keys k where k.item_id = e.id offset 0) as k
  cross join lateral (
    select from supply.stock_codes c where c.state = 'free' and core.code_identity(c.code) = k.identity offset 0
  ) as free
  -- A look-up for each code: ops.audit_all compares all of them.
  where e.codes_up_to_here <= 100000 or current_setting('supply.audit_all', true) = 'on'
  group by e.id
  union all
  select 'delivered_code_was_not_withdrawn', e.id,
    format('item %s has %s codes that were withdrawn from batch %s unsold', e.id, count(*), b.name)
  from supply.stock_batches b
  join supply.stock_codes c on c.batch_id = b.id and c.state = 'withdrawn'
  join supply.item_keys k on core.code_identity(k.code) = core.code_identity(c.code)
  join ended e on e.id = k.item_id
  left join sold s on (s.part, s.item_id) = (e.part, e.id)
  where current_setting('supply.audit_all', true) = 'on'
    -- A withdrawn code may be loaded again, and sold then; one that was no sellable code when it was withdrawn may be
    -- the duplicate of a sold one.
    and coalesce(s.place, 0) < c.place
    and not exists (
      select from supply.operator_log l
      where l.subject = 'batch ' || b.name and l.action = 'withdraw_codes'
        and l.detail -> 'before' ?| '{unsealed,duplicate}')
  group by e.id, b.name
)
select f.check_name, f.detail, 'item ' || f.item_id as subject from found f
-- What an operator typed did not come from the stock, or is in it, too: it is not sold (core.without_delivered_codes).
where not exists (
  select from supply.operator_log l
  where l.subject = 'item ' || f.item_id and l.action in ('settle_item', 'replace_code', 'reroute_item'));
comment on view core.audit_stock is
  'The rows of ops.audit about our own codes: those sold, and the items that ended, in the time of the orders within
core.audit_scope. Items that an operator settled or moved, or whose codes an operator replaced, are left out.';
