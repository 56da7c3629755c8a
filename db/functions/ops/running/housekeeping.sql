create or replace view ops.housekeeping as
select h.what, h.removed, h.last_run_at, h.last_count from supply.housekeeping h;
comment on view ops.housekeeping is
  'Shows what is removed after its retention time: attempts, suppliers'' raw answers and pushed events, offer changes,
acknowledged alerts, rate windows, samples, simulated orders and imports. Attempts of open items and of undelivered
events stay. Orders, items, ledger, events and the operator log are never removed.';
