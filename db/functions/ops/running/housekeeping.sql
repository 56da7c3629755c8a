create or replace view ops.housekeeping as
select h.what, h.removed, h.last_run_at, h.last_count,
  case h.what
    when 'supplier attempts' then (select min(a.started_at) from supply.supplier_attempts a)
    when 'raw answers' then (select min(a.started_at) from supply.supplier_attempts a where a.raw is not null)
    when 'delivery attempts' then (select min(a.started_at) from supply.delivery_attempts a)
    when 'alerts' then (select min(a.last_at) from supply.alerts a)
    when 'rate windows' then (select min(w.started_at) from supply.rate_windows w)
    when 'supplier events' then (select min(e.received_at) from supply.supplier_events e)
    when 'offer changes' then (select min(c.changed_at) from supply.offer_changes c)
    when 'samples' then (select min(e.created_at) from supply.events e where e.simulated and e.order_code is not null)
    when 'simulated orders' then (select min(o.created_at) from supply.simulated_orders o)
  end as oldest_kept
from supply.housekeeping h;
comment on view ops.housekeeping is
  'Shows what is removed after its retention time: attempts, suppliers'' raw answers and pushed events, offer changes,
acknowledged alerts, rate windows, samples and simulated orders. Attempts of open items and of undelivered events stay.
Orders, items, ledger, events and the operator log are never removed.';
comment on column ops.housekeeping.oldest_kept is 'The time of the oldest that is still there; null: there is none.';
