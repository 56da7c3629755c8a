set local role supply_owner;

-- A sample whose name gives no address is given up at once, so that it looks like one whose name leads inside.
alter table supply.events drop constraint events_dead_reason_check;
alter table supply.events add constraint events_dead_reason_check check (dead_reason in
  ('attempts_exhausted', 'http_4xx', 'http_3xx', 'invalid_url', 'blocked_address')
  or (dead_reason = 'unresolved' and simulated)) not valid;
alter table supply.events validate constraint events_dead_reason_check;

-- Samples alone stand in these: those of an account's last minute, those to prune, and those of an account that are open.
-- Each serves one query alone: of those that serve, the planner takes the youngest while the table is empty, and later what
-- looks best by figures that may be old. So each query says one thing more that is true of every sample.
create index events_account_samples on supply.events (account_id, created_at) where simulated and order_id is null;
create index events_samples on supply.events (created_at) where simulated and order_code is not null;
create index events_open_samples on supply.events (account_id) where simulated and delivered_at is null and dead_at is null;
comment on column supply.events.dead_reason is 'Why it is a dead letter; unresolved, for samples alone: the name gave no address.';

reset role;
