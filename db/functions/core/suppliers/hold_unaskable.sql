create or replace function core.hold_unaskable(item_ids uuid[])
returns void
language plpgsql set search_path = pg_catalog, pg_temp
as $$
declare
  alerts supply.occurrence[];
begin
  with held as (
    update supply.order_items i set
      held_at = coalesce(i.held_at, now()),
      held_reason = left(coalesce(i.held_reason || '; ', '')
        || format('%s is asked by sending the order again, which could make a second order now', i.supplier), 500),
      next_call = 'get', next_check_at = null, lease_expires_at = null, limited_at = null, limited_rank = null
    where i.id = any (item_ids) and i.completed_at is null and coalesce(i.lease_expires_at, i.next_check_at) <= now()
      -- guard: an order is not sent again where that could make a second one
      and not core.may_ask(i)
    returning i.*
  )
  select array_agg(row('item_held', h.supplier, null, format('item %s at supplier %s is held for an operator: %s',
    h.id, h.supplier, h.held_reason))::supply.occurrence)
  into alerts from held h;
  perform core.raise_alerts(coalesce(alerts, '{}'));
end
$$;
comment on function core.hold_unaskable is
  'Holds those of the due items for which their suppliers cannot be asked without a risk (core.may_ask), with an alert.
The caller holds the locks of the items.';
