create or replace function core.move_item(
  item supply.order_items, offer core.active_offers, checks int default 0, due_at timestamptz default now()
)
returns void
language sql set search_path = pg_catalog, pg_temp
as $$
  update supply.order_items i set
    supplier = offer.supplier, sku = offer.sku, cost = offer.cost, supplier_cost = offer.supplier_cost,
    supplier_currency = offer.supplier_currency, rate = offer.rate, checks = move_item.checks,
    next_check_at = move_item.due_at, next_call = case when i.recovered_at is null then 'put' else 'get' end,
    sent_at = null, supplier_order_id = null, stuck_at = null, held_at = null, held_reason = null,
    lease_token = null, lease_expires_at = null, limited_at = null, limited_rank = null
  where i.id = item.id
$$;
comment on function core.move_item is
  'Gives an item to the supplier of another offer, which is called at due_at as if the item were new. checks: the
polling step. The caller is sure that the present supplier does not have the item, holds its lock, and adds the job.';
