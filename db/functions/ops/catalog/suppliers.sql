create or replace view ops.suppliers as
select
  s.code,
  s.protocol,
  s.base_url,
  s.active,
  (select count(*)::int from supply.offers o where o.supplier = s.code) as offers,
  (select count(*)::int from supply.order_items i where i.completed_at is null and i.supplier = s.code) as open_items,
  s.updated_at
from supply.suppliers s;
comment on view ops.suppliers is 'The suppliers that fulfil orders. Their tokens are not shown.';
comment on column ops.suppliers.offers is 'How many products it offers.';
comment on column ops.suppliers.open_items is 'How many items it has that are not final.';
